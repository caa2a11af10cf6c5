/** The people that an answer shows, each read once however often the answer shows them. Every area reads them here. */
import { Context, Effect, Layer } from "effect"
import type { ProfileReference } from "../../domain/account/Profile.ts"
import type { AccountId, RoleId } from "../../domain/shared/Id.ts"
import { type Assignment, makeRoleCatalogue, type RolesOf } from "../role/RoleCatalogue.ts"
import { QuickReads } from "../shared/Connections.ts"
import { cacheByVersion } from "../shared/cacheByVersion.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"

/** An account with one of the roles that are assigned to it; an account without any has one row. */
interface ProfileRow {
  readonly id: AccountId
  readonly handle: string
  readonly name: string
  readonly created_at: Date
  readonly suspended_at: Date | null
  readonly signature: string | null
  readonly admin: boolean
  readonly role_id: RoleId | null
  readonly badge: boolean | null
}

/**
 * The profiles of the ids asked for. A person whom posts, notifications and the like refer to exists as long as they
 * do.
 */
export interface Resolved {
  readonly get: (id: AccountId) => ProfileReference
  /** The profile without its signature, which belongs beside posts: for answers that show hundreds of people. */
  readonly brief: (id: AccountId) => ProfileReference
}

/** An SQL expression whose value changes whenever any profile does; statements select it with what refers to people. */
export const peopleVersion = "(select sum(people) from change_versions)::text"

// A profile takes about a kilobyte.
const kept = 10_000

const assignmentsOf = (rows: ReadonlyArray<ProfileRow>): ReadonlyArray<Assignment> =>
  rows.flatMap(({ badge, role_id }) => (role_id === null ? [] : [{ roleId: role_id, badge: badge === true }]))

const profilesOf = (
  rows: ReadonlyArray<ProfileRow>,
  rolesOf: RolesOf
): ReadonlyArray<readonly [AccountId, ProfileReference]> =>
  [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((ofOne) => {
    const [row] = ofOne
    if (row === undefined) return []
    const profile = {
      id: row.id,
      joined: toTimestamp(row.created_at),
      ...(row.suspended_at === null ? {} : { suspended: toTimestamp(row.suspended_at) }),
      handle: row.handle,
      name: row.name,
      ...(row.signature === null ? {} : { signature: row.signature }),
      roles: rolesOf(row.admin, assignmentsOf(ofOne))
    }
    return [[row.id, profile]]
  })

const existing = <Key extends string, Value>(values: ReadonlyMap<Key, Value>, key: Key): Value => {
  const value = values.get(key)
  if (value === undefined) throw new Error(`There is no ${key}`)
  return value
}

const brief = new WeakMap<ProfileReference, ProfileReference>()

/** The profile without its signature. The same profile object always gives the same result object. */
const withoutSignature = (profile: ProfileReference): ProfileReference => {
  if (profile.signature === undefined) return profile
  const known = brief.get(profile)
  if (known !== undefined) return known
  const { signature: _, ...rest } = profile
  brief.set(profile, rest)
  return rest
}

const make = Effect.gen(function* () {
  const sql = yield* QuickReads
  const readRoles = yield* makeRoleCatalogue

  const allRoles = cacheByVersion(1, () => Effect.map(readRoles, (rolesOf) => [["all", rolesOf] as const]))

  const readRows = (ids: ReadonlyArray<AccountId>) =>
    all(sql<ProfileRow>`select a.id, a.handle, a.name, a.created_at, a.suspended_at, a.signature, a.admin,
        held.role_id, held.badge
      from accounts a left join account_roles held on held.account_id = a.id
      where ${isOneOf(sql, "a.id", ids)}`)

  const profiles = cacheByVersion(kept, (ids: ReadonlyArray<AccountId>, version) =>
    Effect.map(
      Effect.all([readRows(ids), allRoles(["all"], version)], { concurrency: "unbounded" }),
      ([rows, roles]) => profilesOf(rows, existing(roles, "all"))
    )
  )

  /** The people with these ids, not older than `version`: a `peopleVersion` that was read before. */
  const resolve = (ids: Iterable<AccountId>, version: string): Effect.Effect<Resolved> =>
    Effect.map(profiles(ids, version), (profiles) => ({
      get: (id) => existing(profiles, id),
      brief: (id) => withoutSignature(existing(profiles, id))
    }))

  /**
   * Turns rows into what is shown, with the people that they refer to; each row has the `peopleVersion` it was read
   * with.
   */
  const show = <Row extends { readonly people_version: string }, Shown>(
    rows: ReadonlyArray<Row>,
    idsOf: (row: Row) => ReadonlyArray<AccountId | null>,
    shownOf: (row: Row, people: Resolved) => Shown
  ): Effect.Effect<ReadonlyArray<Shown>> => {
    const [any] = rows
    if (any === undefined) return Effect.succeed([])
    const ids = rows.flatMap(idsOf).filter((id) => id !== null)
    return Effect.map(resolve(ids, any.people_version), (people) => rows.map((row) => shownOf(row, people)))
  }

  return { resolve, show } as const
})

export class ProfileCache extends Context.Service<ProfileCache, Effect.Success<typeof make>>()(
  "forum/persistence/ProfileCache"
) {
  static readonly layer = Layer.effect(ProfileCache, make)
}
