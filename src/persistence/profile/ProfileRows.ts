/** Profiles as everyone sees them: what a row has, and what is read beside it for all rows of an answer. */
import { Effect } from "effect"
import type { ProfileReference } from "../../domain/account/Profile.ts"
import { type JsonObject, misc } from "../../domain/field/Json.ts"
import type { PublicProfile } from "../../domain/profile/PublicProfile.ts"
import type { AccountRole } from "../../domain/role/Role.ts"
import type { AccountId, TagId } from "../../domain/shared/Id.ts"
import type { TagReference } from "../../domain/vocabulary/Tag.ts"
import { ProfileCache, peopleVersion } from "../account/ProfileCache.ts"
import { makeHeldRoles } from "../role/HeldRoles.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"
import { makeTagReader, tagsOf } from "../tag/TagReader.ts"

export interface ProfileRow {
  readonly id: AccountId
  readonly created_at: Date
  readonly updated_at: Date
  readonly suspended_at: Date | null
  readonly handle: string
  readonly name: string
  readonly signature: string | null
  readonly admin: boolean
  readonly invited_by: AccountId | null
  readonly bio: string
  readonly links: PublicProfile["links"]
  readonly meta: JsonObject
  readonly followers: number
  readonly following: number
  readonly like_score: number
  /** The version of all people and, in the next column, that of tags and categories, which profiles show. */
  readonly people_version: string
  readonly tags_and_categories_version: string
}

/** The columns that are read of `accounts a` and `account_counts c`. */
export const profileColumns = `a.id, a.created_at, a.updated_at, a.suspended_at, a.handle, a.name, a.bio, a.signature,
  a.links, a.meta, a.admin, a.invited_by, coalesce(c.followers, 0) as followers,
  coalesce(c.following, 0) as following, coalesce(c.like_score, 0) as like_score,
  ${peopleVersion} as people_version,
  (select sum(tags_and_categories) from change_versions)::text as tags_and_categories_version`

/** The join with `account_counts c` that `profileColumns` needs. */
export const profileJoins = "left join account_counts c on c.account_id = a.id"

interface Beside {
  readonly roles: ReadonlyArray<AccountRole>
  readonly interests: ReadonlyArray<TagReference>
  readonly inviter: ProfileReference | undefined
}

const profileOf = (row: ProfileRow, { interests, inviter, roles }: Beside): PublicProfile => {
  const createdAt = toTimestamp(row.created_at)
  const suspended = row.suspended_at === null ? undefined : toTimestamp(row.suspended_at)
  return {
    id: row.id,
    createdAt,
    updatedAt: toTimestamp(row.updated_at),
    ...(suspended === undefined ? {} : { deletedAt: suspended, suspended }),
    misc,
    joined: createdAt,
    handle: row.handle,
    name: row.name,
    roles,
    bio: row.bio,
    ...(row.signature === null ? {} : { signature: row.signature }),
    followers: row.followers,
    following: row.following,
    like_score: row.like_score,
    interests,
    links: row.links,
    ...(inviter === undefined ? {} : { invited_by: inviter }),
    meta: row.meta
  }
}

interface InterestRow {
  readonly account_id: AccountId
  readonly tag_id: TagId
}

const grouped = <Row extends { readonly account_id: AccountId }>(rows: ReadonlyArray<Row>) => {
  const byAccount = Map.groupBy(rows, ({ account_id }) => account_id)
  return (id: AccountId): ReadonlyArray<Row> => byAccount.get(id) ?? []
}

/** Makes profiles of rows of one statement; what they show of others is not older than the versions. */
export const makeProfiles = Effect.gen(function* () {
  const sql = yield* QuickReads
  const people = yield* ProfileCache
  const tags = yield* makeTagReader
  const heldRoles = yield* makeHeldRoles

  const interests = Effect.fnUntraced(function* (
    ids: ReadonlyArray<AccountId>,
    tagsAndCategoriesVersion: string
  ) {
    const rows = yield* all(
      sql<InterestRow>`select account_id, tag_id from account_interests where ${isOneOf(sql, "account_id", ids)}`
    )
    const found = yield* tags(
      rows.map(({ tag_id }) => tag_id),
      tagsAndCategoriesVersion
    )
    const of = grouped(rows)
    return (id: AccountId) =>
      tagsOf(
        found,
        of(id).map(({ tag_id }) => tag_id)
      )
  })

  return Effect.fnUntraced(function* (rows: ReadonlyArray<ProfileRow>) {
    const [any] = rows
    if (any === undefined) return []
    const { people_version, tags_and_categories_version } = any
    const ids = rows.map(({ id }) => id)
    const inviters = rows.flatMap(({ invited_by }) => invited_by ?? [])
    const [rolesOf, interestsOf, { get }] = yield* Effect.all(
      [
        heldRoles(ids, people_version),
        interests(ids, tags_and_categories_version),
        people.resolve(inviters, people_version)
      ],
      { concurrency: "unbounded" }
    )
    return rows.map((row) =>
      profileOf(row, {
        roles: rolesOf(row.id, row.admin),
        interests: interestsOf(row.id),
        inviter: row.invited_by === null ? undefined : get(row.invited_by)
      })
    )
  })
})
