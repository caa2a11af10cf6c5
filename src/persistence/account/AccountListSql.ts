/** The list of all accounts, for staff. */
import { Effect, Layer, type Schema } from "effect"
import {
  type AccountListFilter,
  type AccountListPage,
  AccountListStore
} from "../../domain/account/AccountListStore.ts"
import { makeHeldRoles } from "../role/HeldRoles.ts"
import { decoded } from "../shared/Query.ts"
import { makeAccountListing } from "./AccountListingSql.ts"
import { AccountRow, accountColumns, accountOf } from "./AccountRows.ts"
import { traitsOf } from "./AccountTraits.ts"
import { ProfileCache } from "./ProfileCache.ts"

const accountRows = decoded(AccountRow)

type Listed = Schema.Schema.Type<typeof AccountRow>

export const layer = Layer.effect(
  AccountListStore,
  Effect.gen(function* () {
    const listing = yield* makeAccountListing<Listed>({ columns: accountColumns, joins: "" })
    const heldRoles = yield* makeHeldRoles
    const people = yield* ProfileCache

    const list = Effect.fnUntraced(function* (filter: AccountListFilter) {
      const staff = { traits: traitsOf(filter), verbatim: filter.verbatim }
      const { rows: found, versions, total } = yield* listing(filter, staff)
      if (found.length === 0) return { total, accounts: [] }
      const rows = yield* accountRows.all(Effect.succeed(found))
      const [rolesOf, { get }] = yield* Effect.all(
        [
          heldRoles(
            rows.map(({ id }) => id),
            versions.people_version
          ),
          people.resolve(
            rows.flatMap(({ invited_by }) => invited_by ?? []),
            versions.people_version
          )
        ],
        { concurrency: "unbounded" }
      )
      const accounts = rows.map((row) =>
        accountOf(row, {
          roles: rolesOf(row.id, row.admin),
          inviter: row.invited_by === null ? undefined : get(row.invited_by)
        })
      )
      return { total, accounts } satisfies AccountListPage
    })

    return AccountListStore.of({ list })
  })
).pipe(Layer.provide(ProfileCache.layer))
