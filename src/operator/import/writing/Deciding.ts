/** Decides of all staged records which are written, and as what. */
import type { Session } from "../../shared/Session.ts"
import { kindNames, type PreparedKind } from "../preparing/Kinds.ts"
import { schema, tableOf } from "../Staging.ts"
import {
  atMost,
  besideTaken,
  checkReferences,
  follow,
  leaveOut,
  merged,
  noting,
  unique,
  type WrittenKind,
  withoutDuplicates
} from "./Checks.ts"
import { makePlaceholder, settleHandles } from "./Handles.ts"
import { settleTree } from "./Trees.ts"

export interface Target {
  /** Whether nobody has an account yet. */
  readonly isEmpty: boolean
  readonly prefix: string | undefined
}

/** What tells whether something that is there with the id of a record is the same thing. */
const same: ReadonlyArray<readonly [WrittenKind, string]> = [
  ["roles", "true"],
  ["tags", "t.name = s.name"],
  ["accounts", "t.created_at = s.created_at"],
  ["assets", "t.created_at = s.created_at"],
  ["links", "t.url = s.url"],
  ["categories", "t.created_at = s.created_at"],
  ["threads", "t.created_at = s.created_at and t.thread_id = t.id"],
  ["replies", "t.created_at = s.created_at and t.thread_id = s.thread_id"],
  ["likes", "t.post_id = s.post_id and t.account_id = s.account_id"],
  ["reactions", "t.post_id = s.post_id and t.account_id = s.account_id"],
  ["collections", "t.created_at = s.created_at"],
  ["collection_items", "t.collection_id = s.collection_id"],
  ["events", "t.created_at = s.created_at"],
  ["follows", "t.follower_id = s.follower_id and t.followed_id = s.followed_id"]
]

/** The roles that every instance has. What these are is written apart. */
const builtInThere = `update ${tableOf("roles")} s set fate = 'there' where exists (select from roles t where t.id = s.id)`

const identities = async (session: Session, { isEmpty }: Target) => {
  for (const [kind, isSame] of same) {
    await session.run(withoutDuplicates(kind))
    // Replies have ids of threads in no input that is right.
    if (kind === "replies")
      await session.run(
        leaveOut(
          kind,
          "duplicate_id",
          `exists (select from ${tableOf("threads")} t where t.id = s.id and t.fate is null)`
        )
      )
    if (!isEmpty) await session.run(...besideTaken(kind, isSame))
    else if (kind === "roles") await session.run(builtInThere)
    if (kind === "roles") await session.run(...merged(kind, "name"))
    if (kind === "tags") await session.run(...merged(kind, "name"))
    if (kind === "links") await session.run(...merged(kind, "url"))
    await follow(session, kind)
  }
}

/** What only an instance takes that has nobody yet: who administers others, and what the settings say, is not changed from outside. */
const onlyIntoEmpty = [
  leaveOut("settings", "only_into_empty", "true"),
  noting(
    "roles",
    { outcome: "repaired", reason: "administrator_beside", field: "permissions" },
    `permissions = s.permissions - 'ADMINISTRATOR'`,
    `s.permissions ? 'ADMINISTRATOR'`
  ),
  noting(
    "accounts",
    { outcome: "repaired", reason: "administrator_beside", field: "admin" },
    "admin = false",
    "s.admin"
  ),
  `update ${tableOf("accounts")} set founder = false`
]

const onePair = async (session: Session, kind: PreparedKind, columns: string, table: string) => {
  const conditions = columns.split(", ").map((column) => `t.${column} = s.${column}`)
  await session.run(
    withoutDuplicates(kind, columns),
    leaveOut(kind, "already_there", `exists (select from ${table} t where ${conditions.join(" and ")})`)
  )
}

/** Addresses of which another account has one already, or that an account has too many of. */
const addresses = `insert into ${schema}.findings (kind, line, id, outcome, reason, field, detail)
  select 'accounts', line, id, 'repaired', case when place > 20 then 'limit' else 'address_taken' end, 'emails', address from (
    select s.line, s.id, e.place, e.value->>'address' as address,
      row_number() over (partition by e.value->>'address' order by s.line, e.place) as number
    from ${tableOf("accounts")} s cross join lateral jsonb_array_elements(s.emails) with ordinality e (value, place)
    where s.fate is null and s.emails is not null
  ) named where number > 1 or place > 20 or address in (select t.address from account_emails t) order by line, place`

const settleOthers = async (session: Session) => {
  await session.run(
    addresses,
    leaveOut("roles", "invalid", "s.built_in"),
    atMost("roles", "true", 200),
    leaveOut("follows", "invalid", "s.follower_id = s.followed_id"),
    unique("links", "slug", "slug_changed", 255),
    unique("categories", "slug", "slug_changed", 200),
    unique("categories", "name", "name_changed", 200),
    unique("assets", "filename", "name_changed", 255),
    unique("events", "slug", "slug_changed", 255, "s.deleted_at is null"),
    noting(
      "events",
      { outcome: "repaired", reason: "order", field: "ends_at" },
      "ends_at = s.starts_at",
      "s.ends_at < s.starts_at"
    ),
    leaveOut("collection_items", "no_such_reference", "s.post_id is null")
  )
  await onePair(session, "likes", "post_id, account_id", "likes")
  await onePair(session, "reactions", "post_id, account_id, emoji", "reacts")
  await onePair(session, "collection_items", "collection_id, post_id", "collection_items")
  await onePair(session, "participants", "event_id, account_id", "calendar_participants")
  await onePair(session, "read_marks", "account_id, thread_id", "read_marks")
  await onePair(session, "follows", "follower_id, followed_id", "follows")
  await onePair(session, "passwords", "account_id", "passwords")
  await onePair(session, "events", "thread_id", "calendar_events")
  await session.run(
    atMost("reactions", "post_id", 200),
    atMost("collections", "owner_id", 1000),
    atMost("collection_items", "collection_id", 500),
    atMost("participants", "event_id", 1000),
    atMost("categories", "true", 2000)
  )
}

export const decide = async (session: Session, target: Target) => {
  for (const kind of kindNames) await session.run(`analyze ${tableOf(kind)}`)
  await identities(session, target)
  if (!target.isEmpty) await session.run(...onlyIntoEmpty)
  await session.run(
    `create index on ${tableOf("accounts")} (handle_key)`,
    `create index on ${tableOf("accounts")} (id)`
  )
  const placeholder = await makePlaceholder(session)
  await settleHandles(session, target.prefix)
  for (const kind of kindNames) await checkReferences(session, kind, placeholder)
  await settleTree(session, "categories", 8)
  await settleOthers(session)
}
