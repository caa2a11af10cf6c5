import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { IdentityRemoval } from "../../domain/authentication/IdentityRemoval.ts"
import { IdentityTaken, identitiesMax, TooManyIdentities } from "../../domain/elsewhere/Elsewhere.ts"
import { type IdentityOwner, IdentityStore } from "../../domain/elsewhere/IdentityStore.ts"
import type { AccountId, IdentityId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { first, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolationOf, onViolationOf, orDefect } from "../shared/SqlErrors.ts"

interface OwnerRow {
  readonly id: IdentityId
  readonly account_id: AccountId
  readonly suspended: boolean
}

const ownerOf = ({ account_id, id, suspended }: OwnerRow): IdentityOwner => ({
  id,
  accountId: account_id,
  suspended
})

const identities = Layer.effect(
  IdentityStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return IdentityStore.of({
      findOwner: ({ issuer, service, subject }) =>
        Effect.map(
          first(
            reads<OwnerRow>`select i.id, i.account_id, a.suspended_at is not null as suspended
              from identities_elsewhere i join accounts a on a.id = i.account_id
              where i.service = ${service} and i.issuer = ${issuer} and i.subject = ${subject}`
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), ownerOf)
        ),

      insert: ({ accountId, at, id, issuer, name, service, subject }) =>
        sql`insert into identities_elsewhere (id, account_id, created_at, service, issuer, subject, name)
          values (${id}, ${accountId}, ${toDate(at)}, ${service}, ${issuer}, ${subject}, ${name})`.pipe(
          onUniqueViolationOf("identities_elsewhere_person", () => new IdentityTaken()),
          onViolationOf(
            "identities_elsewhere_number",
            () => new TooManyIdentities({ metadata: { maximum: identitiesMax } })
          ),
          orDefect,
          Effect.asVoid
        ),

      noteUse: (id, at) =>
        some(
          locking("identity elsewhere")(sql`update identities_elsewhere set used_at = ${toDate(at)}
            where id = ${id} returning id`)
        )
    })
  })
)

const removal = Layer.effect(
  IdentityRemoval,
  Effect.map(PgClient.PgClient, (sql) =>
    IdentityRemoval.of({
      delete: (id) =>
        run(locking("identity elsewhere")(sql`delete from identities_elsewhere where id = ${id}`))
    })
  )
)

export const layer = Layer.merge(identities, removal)
