/** The roles that several accounts hold, as accounts and profiles show them. */
import { Effect } from "effect"
import type { AccountRole } from "../../domain/role/Role.ts"
import type { AccountId, RoleId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { cacheByVersion } from "../shared/cacheByVersion.ts"
import { all, decoded, isOneOf } from "../shared/Query.ts"
import { type Assignment, makeRolesOf, type RolesOf } from "./RoleCatalogue.ts"
import { RoleRow, roleOf } from "./RoleRows.ts"

interface RoleHeldRow {
  readonly account_id: AccountId
  readonly role_id: RoleId
  readonly badge: boolean
}

const roleRows = decoded(RoleRow)

const noRoles: RolesOf<AccountRole> = () => []

const assignmentsOf = (rows: ReadonlyArray<RoleHeldRow>): ReadonlyArray<Assignment> =>
  rows.map(({ badge, role_id }) => ({ roleId: role_id, badge }))

/** Answers the roles of each account, highest first, not older than a `peopleVersion` that was read before. */
export const makeHeldRoles = Effect.gen(function* () {
  const sql = yield* QuickReads

  const allRoles = cacheByVersion(1, () =>
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
      (rows) => Map.groupBy(rows, ({ account_id }) => account_id)
    )

  return (ids: ReadonlyArray<AccountId>, peopleVersion: string) =>
    Effect.map(
      Effect.all([allRoles(["all"], peopleVersion), assignments(ids)], { concurrency: "unbounded" }),
      ([roles, assigned]) => {
        const rolesOf = roles.get("all") ?? noRoles
        return (id: AccountId, admin: boolean) => rolesOf(admin, assignmentsOf(assigned.get(id) ?? []))
      }
    )
})
