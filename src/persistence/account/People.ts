/**
 * The people that an answer shows, each read once however often it shows them, and the same for every
 * area: the only place that reads profiles.
 */
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import type { ProfileReference } from "../../domain/account/Profile.ts"
import type { AccountId, RoleId } from "../../domain/shared/Id.ts"
import { type Assignment, makeRoleCatalogue, type RolesOf } from "../role/RoleCatalogue.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"

/** A row for each role that is assigned to the account, or one without. */
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

/** The people asked for. Those that posts, notifications and the like refer to exist as long as these do. */
export interface Resolved {
  readonly get: (id: AccountId) => ProfileReference
}

/** An expression that changes whenever any profile does; statements select it with what refers to people. */
export const peopleVersion = "(select sum(people) from change_stamps)::text"

// A profile takes about a kilobyte.
const kept = 10_000

const assignmentsOf = (rows: ReadonlyArray<ProfileRow>): ReadonlyArray<Assignment> =>
  rows.flatMap(({ badge, role_id }) => (role_id === null ? [] : [{ roleId: role_id, badge: badge === true }]))

const profilesOf = (rows: ReadonlyArray<ProfileRow>, rolesOf: RolesOf): ReadonlyArray<ProfileReference> =>
  [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((ofOne) => {
    const [row] = ofOne
    if (row === undefined) return []
    return {
      id: row.id,
      joined: toTimestamp(row.created_at),
      ...(row.suspended_at === null ? {} : { suspended: toTimestamp(row.suspended_at) }),
      handle: row.handle,
      name: row.name,
      ...(row.signature === null ? {} : { signature: row.signature }),
      roles: rolesOf(row.admin, assignmentsOf(ofOne))
    }
  })

/** What has been read of one version. */
interface Known {
  readonly version: string
  readonly profiles: LRUCache<AccountId, ProfileReference>
  rolesOf: RolesOf | undefined
}

const make = Effect.gen(function* () {
  const sql = yield* QuickReads
  const readRoles = yield* makeRoleCatalogue

  const begin = (version: string): Known => ({
    version,
    profiles: new LRUCache({ max: kept }),
    rolesOf: undefined
  })
  let known = begin("")

  const readProfiles = (ids: ReadonlyArray<AccountId>) =>
    all(sql<ProfileRow>`select a.id, a.handle, a.name, a.created_at, a.suspended_at, a.signature, a.admin,
        held.role_id, held.badge
      from accounts a left join account_roles held on held.account_id = a.id
      where ${isOneOf(sql, "a.id", ids)}`)

  const read = Effect.fnUntraced(function* (ids: ReadonlyArray<AccountId>, known: Known) {
    const [rows, rolesOf] = yield* Effect.all(
      [readProfiles(ids), known.rolesOf === undefined ? readRoles : Effect.succeed(known.rolesOf)],
      { concurrency: "unbounded" }
    )
    known.rolesOf = rolesOf
    const profiles = profilesOf(rows, rolesOf)
    for (const profile of profiles) known.profiles.set(profile.id, profile)
    return profiles
  })

  /** The people with these ids, not older than `version`: a `peopleVersion` that was read before. */
  const resolve = Effect.fnUntraced(function* (ids: Iterable<AccountId>, version: string) {
    // A reader with another version starts an empty cache; readers of the version before keep theirs.
    if (known.version !== version) known = begin(version)
    const mine = known
    const found = new Map<AccountId, ProfileReference>()
    const missing: Array<AccountId> = []
    for (const id of new Set(ids)) {
      const profile = mine.profiles.get(id)
      if (profile === undefined) missing.push(id)
      else found.set(id, profile)
    }
    if (missing.length > 0) {
      for (const profile of yield* read(missing, mine)) found.set(profile.id, profile)
    }
    const get = (id: AccountId): ProfileReference => {
      const profile = found.get(id)
      if (profile === undefined) throw new Error(`There is no account ${id}`)
      return profile
    }
    return { get } satisfies Resolved
  })

  return { resolve } as const
})

export class People extends Context.Service<People, Effect.Success<typeof make>>()(
  "forum/persistence/People"
) {
  static readonly layer = Layer.effect(People, make)
}
