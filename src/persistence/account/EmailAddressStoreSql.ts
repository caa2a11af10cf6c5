import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { addressesMax, EmailAddressTaken, TooManyEmailAddresses } from "../../domain/account/Email.ts"
import {
  type AddressOwner,
  EmailAddressStore,
  type StoredEmailAddress
} from "../../domain/account/EmailAddressStore.ts"
import type { AccountId, EmailAddressId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, run, some } from "../shared/Query.ts"
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
        ),

      insertIfFree: ({ accountId, address, id, verified }, at) =>
        some(sql`insert into account_emails (id, account_id, created_at, address, verified)
          select ${id}, ${accountId}, ${toDate(at)}::timestamptz, ${address}, ${verified}::boolean
            where (select count(*) from account_emails where account_id = ${accountId}) < ${addressesMax}
          on conflict (address) do nothing returning id`),

      findOwnerForUpdate: (accountId) =>
        Effect.map(
          first(
            locking("account")(sql<AddressOwner>`select handle, name from accounts
              where id = ${accountId} for no key update`)
          ),
          Option.fromUndefinedOr
        ),

      findOf: (accountId, id) =>
        Effect.map(
          first(
            sql<Row>`select id, account_id, address, verified from account_emails
              where id = ${id} and account_id = ${accountId}`
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), storedOf)
        ),

      remove: (accountId, id) =>
        some(sql`delete from account_emails where id = ${id} and account_id = ${accountId} returning id`),

      setVerified: (id, verified) =>
        run(sql`update account_emails set verified = ${verified} where id = ${id}`),

      // A verified address overrides the status that staff have set; without one, that status stays.
      updateVerification: (accountId, at) =>
        run(
          locking("account")(sql`update accounts set updated_at = ${toDate(at)},
              verified_status = case
                when exists (select from account_emails where account_id = ${accountId} and verified)
                  then 'verified_email'
                when verified_status = 'manual' then 'manual'
                else 'none'
              end
            where id = ${accountId}`)
        )
    })
  })
)
