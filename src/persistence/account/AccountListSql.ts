/** The list of all accounts, for staff. */
import { Effect, Layer, Schema } from "effect"
import {
  type AccountListFilter,
  type AccountListPage,
  AccountListStore
} from "../../domain/account/AccountListStore.ts"
import { makeHeldRoles } from "../role/HeldRoles.ts"
import { QuickReads } from "../shared/Connections.ts"
import { decoded } from "../shared/Query.ts"
import { makeAccountListing } from "./AccountListingSql.ts"
import { AccountRow, accountColumns, accountOf } from "./AccountRows.ts"
import { being } from "./AccountSelection.ts"
import { ProfileCache, peopleVersion } from "./ProfileCache.ts"

const ListedRow = Schema.Struct({ ...AccountRow.fields, people_version: Schema.String })
const accountRows = decoded(ListedRow)

export const layer = Layer.effect(
  AccountListStore,
  Effect.gen(function* () {
    const sql = yield* QuickReads
    const listing = yield* makeAccountListing<typeof ListedRow.Type>({
      columns: `${accountColumns}, ${peopleVersion} as people_version`,
      joins: ""
    })
    const heldRoles = yield* makeHeldRoles
    const people = yield* ProfileCache

    const list = Effect.fnUntraced(function* (filter: AccountListFilter) {
      const {
        next,
        rows: found,
        total
      } = yield* listing(filter, {
        conditions: being(sql, filter),
        verbatim: filter.verbatim
      })
      const rows = yield* accountRows.all(Effect.succeed(found))
      const [any] = rows
      if (any === undefined) return { total, accounts: [] }
      const [rolesOf, { get }] = yield* Effect.all(
        [
          heldRoles(
            rows.map(({ id }) => id),
            any.people_version
          ),
          people.resolve(
            rows.flatMap(({ invited_by }) => invited_by ?? []),
            any.people_version
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
      return { total, next, accounts } satisfies AccountListPage
    })

    return AccountListStore.of({ list })
  })
).pipe(Layer.provide(ProfileCache.layer))
