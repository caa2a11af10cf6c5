/** Makes trees of what contains each other: circles are opened, and what is too deep goes to the top. */
import type { Session } from "../../shared/Session.ts"
import { tableOf } from "../Staging.ts"
import { noting } from "./Checks.ts"

type Tree = "categories" | "nodes"

/** Staged records as far as they are reached from above, with their levels. */
const levels = (kind: Tree) => `with recursive tree as (
    select s.id, s.line, 1 + coalesce((
      with recursive above as (
        select parent_id, 1 as level from ${kind} where id = s.parent_id
        union all select t.parent_id, a.level + 1 from ${kind} t join above a on t.id = a.parent_id
      )
      select max(level) from above), 0) as level
    from ${tableOf(kind)} s where s.fate is null
      and (s.parent_id is null or not exists (select from ${tableOf(kind)} p where p.id = s.parent_id and p.fate is null))
    union all
    select s.id, s.line, tree.level + 1 from ${tableOf(kind)} s join tree on s.parent_id = tree.id
      where s.fate is null
  )`

/** One line of each circle: the one that comes first. Each record has one parent, so that who climbs from it goes round. */
const circles = (
  pairs: ReadonlyArray<{ readonly id: string; readonly parent_id: string; readonly line: string }>
) => {
  const byId = new Map(pairs.map((pair) => [pair.id, pair]))
  const seen = new Set<string>()
  const opened: Array<string> = []
  for (const { id } of pairs) {
    const way: Array<string> = []
    let at = byId.get(id)
    while (at !== undefined && !seen.has(at.id)) {
      seen.add(at.id)
      way.push(at.id)
      at = byId.get(at.parent_id)
    }
    const start = at === undefined ? -1 : way.indexOf(at.id)
    if (start < 0) continue
    const lines = way.slice(start).map((one) => Number(byId.get(one)?.line))
    opened.push(String(Math.min(...lines)))
  }
  return opened
}

export const settleTree = async (session: Session, kind: Tree, deepest: number) => {
  const unreached = await session.rows<{ id: string; parent_id: string; line: string }>(
    `${levels(kind)} select s.id, s.parent_id, s.line::text as line from ${tableOf(kind)} s
      where s.fate is null and s.id not in (select id from tree) order by s.line`
  )
  const opened = circles(unreached)
  if (opened.length > 0)
    await session.run(
      noting(
        kind,
        { outcome: "repaired", reason: "cycle", field: "parent_id" },
        "parent_id = null",
        `s.line in (${opened.join(", ")})`
      )
    )
  // Whoever is one too deep takes along what is below it, of which the same number of levels fits.
  await session.run(
    noting(
      kind,
      { outcome: "repaired", reason: "too_deep", field: "parent_id" },
      "parent_id = null",
      `s.line in (${levels(kind)} select line from tree where level > ${deepest} and level % ${deepest} = 1)`
    )
  )
}
