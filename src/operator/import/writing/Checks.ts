/** Finds what of the staged records cannot be written as it is, repairs or leaves it out, and notes that. */
import type { Session } from "../../shared/Session.ts"
import type { Outcome, Reason } from "../Finding.ts"
import type { PreparedKind } from "../preparing/Kinds.ts"
import { schema, tableOf } from "../Staging.ts"

/** The table that the records of a kind are written to. */
export const written = {
  roles: "roles",
  tags: "tags",
  accounts: "accounts",
  assets: "assets",
  links: "links",
  categories: "categories",
  threads: "posts",
  replies: "posts",
  likes: "likes",
  reactions: "reacts",
  collections: "collections",
  collection_items: "collection_items",
  events: "calendar_events",
  follows: "follows"
} as const satisfies Partial<Record<PreparedKind, string>>

export type WrittenKind = keyof typeof written

interface Told {
  readonly outcome: Outcome
  readonly reason: Reason
  readonly field?: string
  /** An expression over the row `s`. */
  readonly detail?: string
}

const hasId = (kind: PreparedKind) => Object.hasOwn(written, kind)

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
const laterOnes = (kind: PreparedKind, columns: string, only = "true") => `select line from (
    select s.line, row_number() over (partition by ${columns} order by s.line) as number from ${tableOf(kind)} s
    where s.fate is null and (${only}) and (${columns}) in (
      select ${columns} from ${tableOf(kind)} s where s.fate is null and (${only}) group by ${columns} having count(*) > 1)
  ) numbered where number > 1`

/** Of records with one id all but the first are left out. */
export const withoutDuplicates = (kind: PreparedKind, columns = "id") =>
  leaveOut(kind, columns === "id" ? "duplicate_id" : "duplicate", `s.line in (${laterOnes(kind, columns)})`)

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

/** Leaves out what is beyond a number of rows with one value. */
export const atMost = (kind: PreparedKind, by: string, most: number, order = "line") =>
  leaveOut(
    kind,
    "limit",
    `s.line in (select line from (
        select line, row_number() over (partition by ${by} order by ${order}) as number from ${tableOf(kind)} where fate is null
      ) numbered where number > ${most})`,
    `'${most}'`
  )

/** A column that names records of other kinds, and what becomes of one whose target is nowhere. */
export interface Reference {
  readonly kind: PreparedKind
  readonly column: string
  readonly to: ReadonlyArray<WrittenKind>
  readonly otherwise: "clear" | "leave out" | "placeholder"
}

const reference = (
  kind: PreparedKind,
  otherwise: Reference["otherwise"],
  column: string,
  ...to: ReadonlyArray<WrittenKind>
): Reference => ({ kind, column, to, otherwise })

export const references: ReadonlyArray<Reference> = [
  reference("accounts", "clear", "invited_by", "accounts"),
  reference("accounts", "clear", "avatar_id", "assets"),
  reference("assets", "clear", "account_id", "accounts"),
  reference("assets", "clear", "parent_id", "assets"),
  reference("links", "clear", "described_by", "accounts"),
  reference("links", "clear", "favicon_id", "assets"),
  reference("links", "clear", "primary_image_id", "assets"),
  reference("categories", "clear", "parent_id", "categories"),
  reference("categories", "clear", "cover_image_id", "assets"),
  reference("threads", "placeholder", "author_id", "accounts"),
  reference("threads", "clear", "category_id", "categories"),
  reference("threads", "clear", "link_id", "links"),
  reference("replies", "leave out", "thread_id", "threads"),
  reference("replies", "placeholder", "author_id", "accounts"),
  reference("replies", "clear", "reply_to_id", "threads", "replies"),
  reference("likes", "leave out", "post_id", "threads", "replies"),
  reference("likes", "leave out", "account_id", "accounts"),
  reference("reactions", "leave out", "post_id", "threads", "replies"),
  reference("reactions", "leave out", "account_id", "accounts"),
  reference("collections", "leave out", "owner_id", "accounts"),
  reference("collection_items", "leave out", "collection_id", "collections"),
  reference("collection_items", "clear", "added_by", "accounts"),
  reference("collection_items", "leave out", "post_id", "threads", "replies"),
  reference("events", "leave out", "thread_id", "threads"),
  reference("events", "clear", "primary_image_id", "assets"),
  reference("participants", "leave out", "event_id", "events"),
  reference("participants", "leave out", "account_id", "accounts"),
  reference("read_marks", "leave out", "account_id", "accounts"),
  reference("read_marks", "leave out", "thread_id", "threads"),
  reference("follows", "leave out", "follower_id", "accounts"),
  reference("follows", "leave out", "followed_id", "accounts"),
  reference("passwords", "leave out", "account_id", "accounts")
]

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
    if (otherwise === "clear") await session.run(clear(kind, column, reason, nowhere))
    else if (otherwise === "leave out") await session.run(leaveOut(kind, reason, nowhere, `s.${column}`))
    else
      await session.run(
        noting(kind, { outcome: "repaired", reason, field: column }, `${column} = '${placeholder}'`, nowhere)
      )
  }
}
