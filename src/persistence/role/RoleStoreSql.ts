import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { heldMax } from "../../domain/role/Role.ts"
import { RoleNameTaken, TooManyRolesHeld } from "../../domain/role/RoleRefusal.ts"
import { RoleStore } from "../../domain/role/RoleStore.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import type { Permission } from "../../domain/shared/Permission.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, first, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolation, onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { heldPermissions } from "./HeldPermissions.ts"
import { RoleRow, roleOf } from "./RoleRows.ts"

const rows = decoded(RoleRow)

const nameTaken = (name: string) => onUniqueViolation(() => new RoleNameTaken({ metadata: { name } }))

const onTooManyHeld = onViolationOf(
  "account_roles_number",
  () => new TooManyRolesHeld({ metadata: { maximum: heldMax } })
)

export const layer = Layer.effect(
  RoleStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    const columns = sql.literal("id, created_at, updated_at, name, colour, permissions, meta, built_in")

    const byRank = (on: SqlClient.SqlClient) => on`select ${columns} from roles order by rank desc`

    /**
     * The condition that a row is a built-in role that was never edited. Its first edit counts as its creation, after
     * which its times differ.
     */
    const unedited = sql.literal("(built_in and updated_at = created_at)")

    /** Selects an account and locks it before its roles: a change of these changes its version, too. */
    const locked = (account: AccountId) =>
      sql`(select id from accounts where id = ${account} for no key update) holder`

    return RoleStore.of({
      list: Effect.map(rows.all(byRank(reads)), (roles) => roles.map(roleOf)),

      find: (id) =>
        Effect.map(rows.first(reads`select ${columns} from roles where id = ${id}`), (role) =>
          Option.map(Option.fromUndefinedOr(role), roleOf)
        ),

      lock: Effect.fnUntraced(function* (actor) {
        yield* run(locking("roles")(sql`select lock_roles()`))
        const roles = yield* rows.all(byRank(sql))
        const held = yield* first(sql<{
          readonly permissions: ReadonlyArray<Permission>
        }>`select ${sql.literal(heldPermissions("a"))} as permissions from accounts a
          where a.id = ${actor} and a.suspended_at is null`)
        return { roles: roles.map(roleOf), permissions: new Set(held?.permissions) }
      }),

      insert: ({ at, colour, id, meta, name, permissions }) =>
        sql`insert into roles (id, created_at, updated_at, name, colour, permissions, meta, rank)
          select ${id}, ${toDate(at)}, ${toDate(at)}, ${name}, ${colour}, ${permissions}::text[], ${sql.json(meta)},
            coalesce(max(rank), 0) + 1 from roles where not built_in
          returning ${columns}`.pipe(nameTaken(name), orDefect, Effect.flatMap(rows.one), Effect.map(roleOf)),

      update: (id, { colour, meta, name, permissions }, at) =>
        sql`update roles set name = ${name}, colour = ${colour}, permissions = ${permissions}::text[],
            meta = ${sql.json(meta)}, created_at = case when ${unedited} then ${toDate(at)} else created_at end,
            updated_at = greatest(${toDate(at)}::timestamptz + case when ${unedited} then interval '1 millisecond' else '0' end,
              updated_at + interval '1 millisecond')
          where id = ${id} returning ${columns}`.pipe(
          nameTaken(name),
          orDefect,
          Effect.flatMap(rows.one),
          Effect.map(roleOf)
        ),

      reset: (id, { colour, meta, name, permissions }) =>
        sql`update roles set name = ${name}, colour = ${colour}, permissions = ${permissions}::text[],
            meta = ${sql.json(meta)}, created_at = 'epoch', updated_at = 'epoch'
          where id = ${id}`.pipe(nameTaken(name), orDefect, Effect.asVoid),

      arrange: (ids) =>
        run(sql`update roles r set rank = ${ids.length + 1} - o.place
          from unnest(${ids}::text[]) with ordinality o (id, place) where o.id = r.id`),

      delete: Effect.fnUntraced(function* (id) {
        const deleted = yield* first(
          sql<{ readonly rank: number }>`delete from roles where id = ${id} returning rank`
        )
        if (deleted === undefined) return
        // So that the highest rank is the number of custom roles.
        yield* run(sql`update roles set rank = rank - 1 where not built_in and rank > ${deleted.rank}`)
      }),

      assign: (account, role) =>
        locking("account")(
          sql`insert into account_roles (account_id, role_id) select id, ${role} from ${locked(account)}
            on conflict do nothing returning role_id`
        ).pipe(
          onTooManyHeld,
          orDefect,
          Effect.map((given) => given.length > 0)
        ),

      unassign: (account, role) =>
        some(
          locking("account")(sql`delete from account_roles r using ${locked(account)}
            where r.account_id = holder.id and r.role_id = ${role} returning r.role_id`)
        ),

      setBadge: Effect.fnUntraced(function* (account, role) {
        yield* run(locking("account")(sql`select from accounts where id = ${account} for no key update`))
        // Before another role takes its place: an account has one badge at most.
        const cleared = yield* some(sql`update account_roles set badge = false
          where account_id = ${account} and badge and role_id is distinct from ${role ?? null} returning role_id`)
        const set = yield* some(sql`update account_roles set badge = true
          where account_id = ${account} and role_id = ${role ?? null} and not badge returning role_id`)
        return cleared || set
      })
    })
  })
)
