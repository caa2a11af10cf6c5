import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import {
  addressesMax,
  EmailAddressStore,
  EmailAddressTaken,
  type StoredEmailAddress,
  TooManyEmailAddresses
} from "../../domain/account/EmailAddressStore.ts"
import type { AccountId, EmailAddressId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, first } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolation, onViolationOf, orDefect } from "../shared/SqlErrors.ts"

interface Row {
  readonly id: EmailAddressId
  readonly account_id: AccountId
  readonly address: string
  readonly verified: boolean
}

const storedOf = ({ account_id, address, id, verified }: Row): StoredEmailAddress => ({
  id,
  accountId: account_id,
  address,
  verified
})

export const layer = Layer.effect(
  EmailAddressStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return EmailAddressStore.of({
      findByAddress: (address) =>
        Effect.map(
          first(
            reads<Row>`select id, account_id, address, verified from account_emails where address = ${address}`
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), storedOf)
        ),

      listOf: (accountId) =>
        Effect.map(
          all(
            reads<Row>`select id, account_id, address, verified from account_emails
              where account_id = ${accountId} order by created_at, id`
          ),
          (rows) => rows.map(storedOf)
        ),

      insert: ({ accountId, address, id, verified }, at) =>
        sql`insert into account_emails (id, account_id, created_at, address, verified)
          values (${id}, ${accountId}, ${toDate(at)}, ${address}, ${verified})`.pipe(
          onUniqueViolation(() => new EmailAddressTaken({ metadata: { email_address: address } })),
          onViolationOf(
            "account_emails_number",
            () => new TooManyEmailAddresses({ metadata: { maximum: addressesMax } })
          ),
          orDefect,
          Effect.asVoid
        )
    })
  })
)
