/** Profiles as everyone sees them: what a row has, and what is read beside it for all rows of an answer. */
import { Effect } from "effect"
import type { ProfileReference } from "../../domain/account/Profile.ts"
import type { PublicProfile } from "../../domain/profile/PublicProfile.ts"
import type { AccountRole } from "../../domain/role/Role.ts"
import type { AccountId, RoleId, TagId } from "../../domain/shared/Id.ts"
import { type JsonObject, misc } from "../../domain/shared/Json.ts"
import type { TagReference } from "../../domain/tag/Tag.ts"
import { People } from "../account/People.ts"
import { type Assignment, makeRolesOf, type RolesOf } from "../role/RoleCatalogue.ts"
import { RoleRow, roleOf } from "../role/RoleRows.ts"
import { QuickReads } from "../shared/Connections.ts"
import { keptByVersion } from "../shared/keptByVersion.ts"
import { all, decoded, isOneOf } from "../shared/Query.ts"
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
}

/** The versions of what profiles show of others. */
export interface ProfileStamps {
  readonly people_version: string
  readonly catalogue_version: string
}

/** What is read of `accounts a` and `account_counts c`, but for the long parts. */
export const profileColumns = `a.id, a.created_at, a.updated_at, a.suspended_at, a.handle, a.name, a.signature,
  a.admin, a.invited_by, coalesce(c.followers, 0) as followers, coalesce(c.following, 0) as following,
  coalesce(c.like_score, 0) as like_score`

/** Read from `change_stamps`. */
export const stampColumns = "sum(people)::text as people_version, sum(catalogue)::text as catalogue_version"

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

interface RoleHeldRow {
  readonly account_id: AccountId
  readonly role_id: RoleId
  readonly badge: boolean
}

interface InterestRow {
  readonly account_id: AccountId
  readonly tag_id: TagId
}

const roleRows = decoded(RoleRow)

const noRoles: RolesOf<AccountRole> = () => []

const grouped = <Row extends { readonly account_id: AccountId }>(rows: ReadonlyArray<Row>) => {
  const byAccount = Map.groupBy(rows, ({ account_id }) => account_id)
  return (id: AccountId): ReadonlyArray<Row> => byAccount.get(id) ?? []
}

/** Makes profiles of rows; what they show of others is not older than the stamps. */
export const makeProfiles = Effect.gen(function* () {
  const sql = yield* QuickReads
  const people = yield* People
  const tags = yield* makeTagReader

  const catalogue = keptByVersion(1, () =>
    Effect.map(
      roleRows.all(sql`select id, created_at, updated_at, name, colour, permissions, meta, built_in
        from roles order by rank desc`),
      (rows) => [["all", makeRolesOf(rows.map(roleOf))] as const]
    )
  )

  const assignments = (ids: ReadonlyArray<AccountId>) =>
    Effect.map(
      all(sql<RoleHeldRow>`select account_id, role_id, badge from account_roles
        where ${isOneOf(sql, "account_id", ids)}`),
      (rows) => {
        const of = grouped(rows)
        return (id: AccountId) => of(id).map(({ badge, role_id }): Assignment => ({ roleId: role_id, badge }))
      }
    )

  const interests = Effect.fnUntraced(function* (ids: ReadonlyArray<AccountId>, catalogueVersion: string) {
    const rows = yield* all(
      sql<InterestRow>`select account_id, tag_id from account_interests where ${isOneOf(sql, "account_id", ids)}`
    )
    const found = yield* tags(
      rows.map(({ tag_id }) => tag_id),
      catalogueVersion
    )
    const of = grouped(rows)
    return (id: AccountId) =>
      tagsOf(
        found,
        of(id).map(({ tag_id }) => tag_id)
      )
  })

  return Effect.fnUntraced(function* (
    rows: ReadonlyArray<ProfileRow>,
    { catalogue_version, people_version }: ProfileStamps
  ) {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const inviters = rows.flatMap(({ invited_by }) => invited_by ?? [])
    const [roles, assignmentsOf, interestsOf, { get }] = yield* Effect.all(
      [
        catalogue(["all"], people_version),
        assignments(ids),
        interests(ids, catalogue_version),
        people.resolve(inviters, people_version)
      ],
      { concurrency: "unbounded" }
    )
    const rolesOf = roles.get("all") ?? noRoles
    return rows.map((row) =>
      profileOf(row, {
        roles: rolesOf(row.admin, assignmentsOf(row.id)),
        interests: interestsOf(row.id),
        inviter: row.invited_by === null ? undefined : get(row.invited_by)
      })
    )
  })
})
