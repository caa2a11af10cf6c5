/** Decides of all staged records which are written, and as what. */
import type { Session } from "../../shared/Session.ts"
import { kindNames } from "../preparing/Kinds.ts"
import { tableOf } from "../Staging.ts"
import {
  atMost,
  besideTaken,
  checkReferences,
  follow,
  leaveOut,
  merged,
  noting,
  onePair,
  unique,
  type WrittenKind,
  withoutDuplicates
} from "./Checks.ts"
import { settleLibrary } from "./DecidingLibrary.ts"
import { settleRecords } from "./DecidingRecords.ts"
import { makePlaceholder, settleHandles } from "./Handles.ts"
import { settleTheme } from "./Theme.ts"
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
  ["accounts", "t.created_at = s.created_at or t.id = nobody()"],
  ["assets", "t.created_at = s.created_at"],
  ["links", "t.url = s.url"],
  ["categories", "t.created_at = s.created_at"],
  ["nodes", "t.created_at = s.created_at"],
  [
    "property_fields",
    "t.parent_id is not distinct from s.parent_id and t.node_id is not distinct from s.node_id"
  ],
  ["node_versions", "t.node_id = s.node_id"],
  ["threads", "t.created_at = s.created_at and t.thread_id = t.id"],
  ["replies", "t.created_at = s.created_at and t.thread_id = s.thread_id"],
  ["likes", "t.post_id = s.post_id and t.account_id = s.account_id"],
  ["reactions", "t.post_id = s.post_id and t.account_id = s.account_id"],
  ["collections", "t.created_at = s.created_at"],
  ["collection_items", "t.collection_id = s.collection_id"],
  ["events", "t.created_at = s.created_at"],
  ["follows", "t.follower_id = s.follower_id and t.followed_id = s.followed_id"],
  ["reports", "t.created_at = s.created_at"],
  ["notes", "t.account_id = s.account_id"],
  ["warnings", "t.account_id = s.account_id"],
  ["notifications", "t.account_id = s.account_id"],
  ["audit", "t.occurred_at = s.occurred_at"]
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

/**
 * What only an instance takes that has nobody yet: who administers others, what the instance is and loads into the browsers
 * of all, and what was done here, is not changed from outside.
 */
const onlyIntoEmpty = [
  ...(["settings", "instance_images", "theme", "audit"] as const).map((kind) =>
    leaveOut(kind, "only_into_empty", "true")
  ),
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

const isReview = "membership_type = 'submission_review'"

/** How many of the input attend an event. */
const attending = (event: string) =>
  `(select count(*) from ${tableOf("participants")} p where p.event_id = ${event} and p.role = 'attendee' and p.status = 'attending'
    and p.fate is null)`

/** What would be more than the service lets there be, in an instance that may have some already. */
const beyondLimits = ({ isEmpty }: Target) => {
  const there = (text: string) => (isEmpty ? {} : { there: `(select ${text})` })
  return [
    atMost("reactions", "s.post_id", 200, there("count(*) from reacts t where t.post_id = s.post_id")),
    atMost(
      "collections",
      "s.owner_id",
      1000,
      there("count(*) from collections t where t.owner_id = s.owner_id")
    ),
    ...(
      [
        [isReview, 100, "submission_count"],
        [`not (${isReview})`, 500, "item_count"]
      ] as const
    ).map(([only, most, column]) =>
      atMost("collection_items", "s.collection_id", most, {
        only,
        ...there(`coalesce(max(t.${column}), 0) from collections t where t.id = s.collection_id`)
      })
    ),
    atMost(
      "participants",
      "s.event_id",
      1000,
      there("count(*) from calendar_participants t where t.event_id = s.event_id")
    ),
    atMost("participants", "s.event_id", 20, {
      only: "s.role = 'host'",
      ...there("count(*) from calendar_participants t where t.event_id = s.event_id and t.role = 'host'")
    }),
    noting(
      "events",
      { outcome: "repaired", reason: "limit", field: "capacity" },
      `capacity = ${attending("s.id")}`,
      `s.capacity < ${attending("s.id")}`
    ),
    leaveOut(
      "participants",
      "limit",
      `s.role = 'attendee' and s.status = 'attending' and exists (select from calendar_events t
        where t.id = s.event_id and t.capacity < t.attending + ${attending("t.id")})`
    ),
    atMost("categories", "true", 2000, there("count(*) from categories"))
  ]
}

const settleOthers = async (session: Session, target: Target) => {
  await session.run(
    leaveOut("roles", "invalid", "s.built_in"),
    atMost("roles", "true", 200, { there: "(select count(*) from roles where not built_in)" }),
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
    leaveOut("collection_items", "no_such_reference", "num_nonnulls(s.post_id, s.node_id) <> 1"),
    ...onePair("likes", "post_id, account_id", "likes"),
    ...onePair("reactions", "post_id, account_id, emoji", "reacts"),
    ...onePair("collection_items", "collection_id, post_id", "collection_items"),
    ...onePair("collection_items", "collection_id, node_id", "collection_items"),
    ...onePair("participants", "event_id, account_id", "calendar_participants"),
    ...onePair("read_marks", "account_id, thread_id", "read_marks"),
    ...onePair("follows", "follower_id, followed_id", "follows"),
    ...onePair("passwords", "account_id", "passwords"),
    ...onePair("events", "thread_id", "calendar_events"),
    ...beyondLimits(target)
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
  await settleLibrary(session)
  await settleOthers(session, target)
  await settleRecords(session)
  await settleTheme(session)
}
