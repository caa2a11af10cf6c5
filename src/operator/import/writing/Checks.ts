/** Finds what of the staged records cannot be written as it is, repairs or leaves it out, and notes that. */
import type { Session } from "../../shared/Session.ts"
import type { Outcome, Reason } from "../Finding.ts"
import { type PreparedKind, preparedKinds } from "../preparing/Kinds.ts"
import { schema, tableOf } from "../Staging.ts"
import { idsOf, lists, references } from "./References.ts"

/** What has the records of a kind that are there. */
export const written = {
  roles: "roles",
  tags: "tags",
  accounts: "accounts",
  assets: "assets",
  links: "links",
  categories: "categories",
  nodes: "nodes",
  property_fields: "(select f.*, f.fid as id from property_fields f)",
  node_versions: "node_versions",
  threads: "posts",
  replies: "posts",
  likes: "likes",
  reactions: "reacts",
  collections: "collections",
  collection_items: "collection_items",
  events: "calendar_events",
  follows: "follows",
  reports: "reports",
  notes: "moderation_notes",
  warnings: "account_warnings",
  notifications: "notifications",
  audit: "audit_events"
} as const satisfies Partial<Record<PreparedKind, string>>

export type WrittenKind = keyof typeof written

interface Told {
  readonly outcome: Outcome
  readonly reason: Reason
  readonly field?: string
  /** An expression over the row `s`. */
  readonly detail?: string
}

const hasId = (kind: PreparedKind) => Object.hasOwn(preparedKinds[kind].columns, "id")

const returned = (kind: PreparedKind, { detail }: Told) =>
  `returning s.line, ${hasId(kind) ? "s.id" : "null::text as id"}, (${detail ?? "null::text"})::text as detail`

/** A change of staged rows, each of which is told of. */
export const noting = (kind: PreparedKind, told: Told, set: string, where: string) => `with changed as (
    update ${tableOf(kind)} s set ${set} where s.fate is null and (${where}) ${returned(kind, told)}
  )
  insert into ${schema}.findings (kind, line, id, outcome, reason, field, detail)
    select '${kind}', line, id, '${told.outcome}', '${told.reason}', ${told.field === undefined ? "null" : `'${told.field}'`}, left(detail, 1000)
    from changed order by line`

export const leaveOut = (kind: PreparedKind, reason: Reason, where: string, detail?: string) =>
  noting(
    kind,
    { outcome: "left out", reason, ...(detail === undefined ? {} : { detail }) },
    "fate = 'left out'",
    where
  )

/** Empties a column where what it names is nowhere. */
export const clear = (kind: PreparedKind, column: string, reason: Reason, where: string) =>
  noting(
    kind,
    // What was there is told by the row that it had been.
    { outcome: "repaired", reason, field: column },
    `${column} = null`,
    `s.${column} is not null and (${where})`
  )

/** The lines of records that are not the first of those with equal values in these columns. */
export const laterOnes = (kind: PreparedKind, columns: string, only = "true") => `select line from (
    select s.line, row_number() over (partition by ${columns} order by s.line) as number from ${tableOf(kind)} s
    where s.fate is null and (${only}) and (${columns}) in (
      select ${columns} from ${tableOf(kind)} s where s.fate is null and (${only}) group by ${columns} having count(*) > 1)
  ) numbered where number > 1`

/** Of records with one id all but the first are left out. */
export const withoutDuplicates = (kind: PreparedKind, columns = "id", only = "true") =>
  leaveOut(
    kind,
    columns === "id" ? "duplicate_id" : "duplicate",
    `s.line in (${laterOnes(kind, columns, only)})`
  )

/** Of records with the same values in these columns the first one is written, unless a row of the table has them. */
export const onePair = (
  kind: PreparedKind,
  columns: string,
  table: string,
  {
    called = {},
    only = "true"
  }: { readonly called?: Readonly<Record<string, string>>; readonly only?: string } = {}
) => {
  const conditions = columns.split(", ").map((column) => `t.${called[column] ?? column} = s.${column}`)
  return [
    withoutDuplicates(kind, columns, only),
    leaveOut(
      kind,
      "already_there",
      `(${only}) and exists (select from ${table} t where ${conditions.join(" and ")})`
    )
  ]
}

/** Where what a column names is neither staged nor there. */
export const isNowhere = (column: string, targets: ReadonlyArray<WrittenKind>) =>
  targets
    .map(
      (target) => `not exists (select from ${tableOf(target)} t where t.id = s.${column} and t.fate is null)
        and not exists (select from ${written[target]} t where t.id = s.${column}${target === "threads" ? " and t.id = t.thread_id" : ""})`
    )
    .join(" and ")

/** What is there already stays as it is; another thing with the same id lets the record have another one. */
export const besideTaken = (kind: WrittenKind, isSame: string) => [
  noting(
    kind,
    { outcome: "there already", reason: "already_there" },
    "fate = 'there'",
    `exists (select from ${written[kind]} t where t.id = s.id and (${isSame}))`
  ),
  `insert into ${schema}.moved (kind, given, id)
    select '${kind}', s.id, ${schema}.other_id(s.id) from ${tableOf(kind)} s
      where s.fate is null and exists (select from ${written[kind]} t where t.id = s.id)`,
  noting(
    kind,
    {
      outcome: "repaired",
      reason: "id_changed",
      field: "id",
      detail: `(select m.id from forum_import.moved m where m.kind = '${kind}' and m.given = s.id)`
    },
    `id = s.id`,
    `exists (select from ${schema}.moved m where m.kind = '${kind}' and m.given = s.id)`
  ),
  `update ${tableOf(kind)} s set id = m.id from ${schema}.moved m
    where s.fate is null and m.kind = '${kind}' and m.given = s.id`
]

/** Records that say what another one says as well, or something that is there, stand for that one. */
export const merged = (kind: "roles" | "tags" | "links", column: string) => [
  `insert into ${schema}.moved (kind, given, id)
    select '${kind}', s.id, coalesce(t.id, same.first) from ${tableOf(kind)} s
      left join ${written[kind]} t on t.${column} = s.${column}
      left join (
        select ${column}, (array_agg(id order by line))[1] as first from ${tableOf(kind)} where fate is null
        group by ${column} having count(*) > 1
      ) same on same.${column} = s.${column}
    where s.fate is null and coalesce(t.id, same.first) <> s.id
    on conflict do nothing`,
  noting(
    kind,
    { outcome: "there already", reason: "already_there", detail: `s.${column}` },
    "fate = 'there'",
    `exists (select from ${written[kind]} t where t.${column} = s.${column})`
  ),
  leaveOut(
    kind,
    "duplicate",
    `exists (select from ${schema}.moved m where m.kind = '${kind}' and m.given = s.id)`,
    `s.${column}`
  )
]

/** Lets each record have a text of its own in a column, which ends with its id where it was taken. */
export const unique = (kind: WrittenKind, column: string, reason: Reason, most: number, only = "true") =>
  noting(
    kind,
    { outcome: "repaired", reason, field: column, detail: `s.${column}` },
    `${column} = left(s.${column}, ${most - 21}) || '-' || s.id`,
    `(${only}) and (
      s.${column} in (select t.${column} from ${written[kind]} t where t.${column} is not null)
      or s.line in (${laterOnes(kind, column, only)}))`
  )

interface Limit {
  /** What comes first. */
  readonly order?: string
  /** Which records count. */
  readonly only?: string
  /** How many are there already, as an expression over the row `s`. */
  readonly there?: string
}

/** Leaves out what is beyond a number of rows with the same values in these columns. */
export const atMost = (
  kind: PreparedKind,
  by: string,
  most: number,
  { only = "true", order = "s.line", there = "0" }: Limit = {}
) =>
  leaveOut(
    kind,
    "limit",
    `s.line in (select line from (
        select s.line, ${there} as there, row_number() over (partition by ${by} order by ${order}) as number
        from ${tableOf(kind)} s where s.fate is null and (${only})
      ) numbered where number + there > ${most})`,
    `'${most}'`
  )

/** Tells of what lists of references name that is nowhere. */
const listsOf = (kind: PreparedKind) =>
  lists
    .filter((list) => list.kind === kind)
    .map(
      ({
        column,
        kind,
        to
      }) => `insert into ${schema}.findings (kind, line, id, outcome, reason, field, detail)
        select '${kind}', s.line, s.id, 'repaired', 'no_such_reference', '${column}', given.named
        from ${tableOf(kind)} s cross join lateral ${idsOf(kind, column)}
        where s.fate is null and not exists (select from ${tableOf(to)} t where t.id = given.named and t.fate is null)
          and not exists (select from ${written[to]} t where t.id = given.named)
        order by s.line, given.place`
    )

/** Lets what names records of a kind name them by the ids that they have now. */
export const follow = async (session: Session, target: WrittenKind) => {
  const [found] = await session.rows(`select from ${schema}.moved where kind = $1 limit 1`, [target])
  if (found === undefined) return
  for (const { column, kind, to } of references)
    if (to.includes(target))
      await session.run(`update ${tableOf(kind)} s set ${column} = m.id from ${schema}.moved m
        where m.kind = '${target}' and m.given = s.${column}`)
}

const missing: Readonly<Record<string, Reason>> = {
  author_id: "account_unknown",
  owner_id: "account_unknown",
  parent_id: "parent_missing",
  thread_id: "parent_missing",
  reply_to_id: "parent_missing"
}

/** Repairs the references of a kind, whose targets are decided. */
export const checkReferences = async (session: Session, kind: PreparedKind, placeholder: string) => {
  for (const { column, kind: of, otherwise, to } of references) {
    if (of !== kind) continue
    const reason = missing[column] ?? "no_such_reference"
    const nowhere = `s.${column} is not null and ${isNowhere(column, to)}`
    if (otherwise === "keep") continue
    if (otherwise === "clear") await session.run(clear(kind, column, reason, nowhere))
    else if (otherwise === "leave out") await session.run(leaveOut(kind, reason, nowhere, `s.${column}`))
    else
      await session.run(
        noting(kind, { outcome: "repaired", reason, field: column }, `${column} = '${placeholder}'`, nowhere)
      )
  }
  await session.run(...listsOf(kind))
}
