import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { handleKey } from "../../domain/account/Handle.ts"
import { PhoneCodeWrong } from "../../domain/authentication/PhoneSignIn.ts"
import { type PhoneAccount, type PhoneSignUp, PhoneStore } from "../../domain/authentication/PhoneStore.ts"
import type { ClientNetwork } from "../../domain/shared/Client.ts"
import type { AccountId, PhoneNumberId } from "../../domain/shared/Id.ts"
import { byHandle } from "../account/HandleSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { first, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { makeCodeStore } from "./CodeStoreSql.ts"

interface NumberRow {
  readonly id: PhoneNumberId
  readonly phone_number: string
}

interface AccountRow {
  readonly account_id: AccountId
  readonly handle: string
  readonly suspended: boolean
  readonly id: PhoneNumberId | null
  readonly phone_number: string | null
}

interface SignUpRow extends NumberRow {
  readonly handle: string
  readonly invitation_id: string | null
  readonly network: ClientNetwork
}

const accountOf = (row: AccountRow): PhoneAccount => ({
  accountId: row.account_id,
  handle: row.handle,
  suspended: row.suspended,
  phone: row.id === null || row.phone_number === null ? undefined : { id: row.id, number: row.phone_number }
})

const signUpOf = (row: SignUpRow): PhoneSignUp => ({
  id: row.id,
  number: row.phone_number,
  handle: row.handle,
  invitationId: row.invitation_id ?? undefined,
  network: row.network
})

const signUpColumns = "p.id, p.phone_number, p.handle, p.invitation_id, p.network"

/** Begins a sign-up, also in the place of one whose code is no longer valid, or that began at the same place. */
const putSignUp = (sql: PgClient.PgClient): PhoneStore["Service"]["putSignUp"] =>
  Effect.fnUntraced(function* (signUp, at) {
    const { handle, id, invitationId, network, number } = signUp
    // Of a handle that somebody waits with, the row is locked and stays as it is.
    const kept = yield* first(
      locking("phone number")(sql<SignUpRow>`insert into phone_numbers as p
          (id, created_at, phone_number, handle, handle_key, invitation_id, network)
        values (${id}, ${toDate(at)}, ${number}, ${handle}, ${handleKey(handle)}, ${invitationId ?? null}, ${network})
        on conflict (handle_key) do update set handle_key = excluded.handle_key
        returning ${sql.literal(signUpColumns)}`)
    )
    if (kept === undefined || kept.id === id) return signUp
    // A further statement, which sees the codes of those for whom the first one waited.
    const replaced = yield* first(sql<SignUpRow>`update phone_numbers p
      set created_at = ${toDate(at)}, phone_number = ${number}, handle = ${handle},
        invitation_id = ${invitationId ?? null}, network = ${network}
      where p.id = ${kept.id} and ((p.phone_number = ${number} and p.network = ${network})
        or not exists (select from phone_codes c where c.phone_id = p.id and c.expires_at > ${toDate(at)}))
      returning ${sql.literal(signUpColumns)}`)
    return signUpOf(replaced ?? kept)
  })

export const layer = Layer.effect(
  PhoneStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return PhoneStore.of({
      ...makeCodeStore<PhoneNumberId>(sql, reads, { table: "phone_codes", receiver: "phone_id" }),

      findAccount: (handle) =>
        Effect.map(
          first(reads<AccountRow>`select a.id as account_id, a.handle, a.suspended_at is not null as suspended,
              p.id, p.phone_number
            from (select * from accounts where ${byHandle(reads, handle)}) a
              left join phone_numbers p on p.account_id = a.id`),
          (row) => Option.map(Option.fromUndefinedOr(row), accountOf)
        ),

      findNumberForUpdate: (accountId) =>
        Effect.andThen(
          run(locking("account")(sql`select from accounts where id = ${accountId} for no key update`)),
          Effect.map(
            first(sql<NumberRow>`select id, phone_number from phone_numbers where account_id = ${accountId}`),
            (row) => row && { id: row.id, number: row.phone_number }
          )
        ),

      findHandleOf: (number) =>
        Effect.map(
          first(sql<{ readonly handle: string }>`select a.handle from phone_numbers p
            join accounts a on a.id = p.account_id where p.phone_number = ${number}`),
          (row) => row?.handle
        ),

      findSignUp: (handle, at) =>
        Effect.map(
          first(reads<SignUpRow>`select ${reads.literal(signUpColumns)}
            from phone_numbers p join phone_codes c on c.phone_id = p.id
            where p.handle_key = ${handleKey(handle)} and c.expires_at > ${toDate(at)}`),
          (row) => Option.map(Option.fromUndefinedOr(row), signUpOf)
        ),

      putSignUp: putSignUp(sql),

      assign: (id, accountId, at) =>
        sql`update phone_numbers set account_id = ${accountId}, created_at = ${toDate(at)},
            handle = null, handle_key = null, invitation_id = null, network = null
          where id = ${id}`.pipe(
          locking("phone number"),
          onUniqueViolationOf("phone_numbers_of_accounts", () => new PhoneCodeWrong()),
          orDefect,
          Effect.asVoid
        ),

      deleteForgottenSignUps: run(sql`delete from phone_numbers p where p.account_id is null
        and not exists (select from phone_codes c where c.phone_id = p.id)`)
    })
  })
)
