/** Gives pages places among their siblings where those that they have are of no use: in their order, after what is there. */
import { between, evenPlace } from "../../../domain/library/SiblingOrder.ts"
import type { Session } from "../../shared/Session.ts"
import { schema, tableOf } from "../Staging.ts"
import { laterOnes, noting } from "./Checks.ts"

const nodes = tableOf("nodes")

const parent = "coalesce(parent_id, '')"

// Places as `SiblingOrder` makes them.
const isOfUse = `position ~ '^[0-9A-Za-z]{0,199}[1-9A-Za-z]$'`

/** The last place among the siblings that are there. */
const lastThere = `case when g.parent = ''
    then (select n.position from nodes n where n.parent_id is null order by n.position desc limit 1)
    else (select n.position from nodes n where n.parent_id = g.parent order by n.position desc limit 1) end`

/** The pages that get a place, all of a group if one of them does. */
const placing = `create unlogged table ${schema}.placing as
  select row_number() over (order by parent, place) as number, line, last, place::int as place,
    (count(*) over (partition by parent))::int as siblings
  from (
    select s.line, g.parent, g.last, row_number() over (partition by g.parent order by s.position collate "C", s.line) as place
    from (
      select g.parent, g.is_odd, ${lastThere} as last from (
        select ${parent} as parent, not bool_and(${isOfUse}) or count(distinct position) < count(*) as is_odd
        from ${nodes} where fate is null group by 1
      ) g
    ) g join ${nodes} s on coalesce(s.parent_id, '') = g.parent
    where s.fate is null and (g.is_odd or g.last is not null)
  ) found`

interface Row {
  readonly number: string
  readonly line: string
  readonly last: string | null
  readonly place: number
  readonly siblings: number
}

const together = 5000

/** What begins with the place after the last one comes after all that are there, in the order of how it goes on. */
const placeOf = ({ last, place, siblings }: Row) =>
  `${last === null ? "" : between(last, undefined)}${evenPlace(place, siblings)}`

export const settlePlaces = async (session: Session) => {
  await session.run(
    noting(
      "nodes",
      { outcome: "repaired", reason: "order", field: "position" },
      "position = s.position",
      `s.line in (${laterOnes("nodes", `${parent}, position`)})`
    ),
    placing,
    `create index on ${schema}.placing (number)`,
    `create index on ${nodes} (line)`
  )
  for (let last = "0"; ; ) {
    const found: ReadonlyArray<Row> = await session.rows<Row & Record<string, unknown>>(
      `select number::text as number, line::text as line, last, place, siblings from ${schema}.placing
        where number > $1 order by number limit ${together}`,
      [last]
    )
    await session.rows(
      `update ${nodes} s set position = given.position
        from unnest($1::bigint[], $2::text[]) given (line, position) where s.line = given.line`,
      [found.map(({ line }) => line), found.map(placeOf)]
    )
    const end = found.at(-1)
    if (end === undefined) return
    last = end.number
  }
}
