/** Tokens with which a new password is set, and the mails with them. */
import { DateTime, Duration, Effect, Option } from "effect"
import { EmailAddressStore, type StoredEmailAddress } from "../account/EmailAddressStore.ts"
import { Outbox } from "../mail/Outbox.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import type { Client, ClientNetwork } from "../shared/Client.ts"
import type { AccountId, EmailAddressId } from "../shared/Id.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { resetLetter } from "./EmailText.ts"
import { ResetStore } from "./ResetStore.ts"
import { linkWith, type TokenUrl } from "./ResetToken.ts"

/** How long a token is valid. */
export const resetLifetime = Duration.hours(1)

export const makeResetTokens = Effect.gen(function* () {
  const store = yield* ResetStore
  const addresses = yield* EmailAddressStore
  const settings = yield* InstanceSettings
  const outbox = yield* Outbox
  const tokens = yield* makeTokens

  /** Makes a token as part of the running transaction. */
  const issue = Effect.fnUntraced(function* (
    accountId: AccountId,
    emailAddressId: EmailAddressId | undefined,
    askedBy: ClientNetwork | undefined
  ) {
    const token = yield* tokens.make
    const createdAt = yield* DateTime.now
    const expiresAt = DateTime.addDuration(createdAt, resetLifetime)
    yield* store.put({
      tokenHash: yield* tokens.hash(token),
      accountId,
      emailAddressId,
      askedBy,
      createdAt,
      expiresAt
    })
    return token
  })

  /** Mails a token as part of the running transaction; false if the account has the address no more. */
  const mail = Effect.fnUntraced(function* (
    { accountId, id }: Pick<StoredEmailAddress, "accountId" | "id">,
    page: URL,
    { query }: TokenUrl,
    client: Client
  ) {
    const owner = yield* addresses.findOwnerForUpdate(accountId)
    const found = yield* addresses.findOf(accountId, id)
    if (Option.isNone(owner) || Option.isNone(found)) return false
    const { title } = yield* settings.general
    const { handle, name } = owner.value
    const link = linkWith(page, query, yield* issue(accountId, id, client.network))
    const letter = resetLetter(title, handle, link)
    yield* outbox.enqueue({ address: found.value.address, name, ...letter }, client)
    return true
  })

  return { hash: tokens.hash, issue, mail } as const
})
