/** How keys are made and revoked, with what the event log has of it, in the transaction of what they belong to. */
import { type DateTime, Effect, Redacted } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { AccessKeyId, type AccountId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { makeTokens } from "../shared/Tokens.ts"
import type { AccessKey, botKeyPrefix, keyPrefix } from "./AccessKey.ts"
import { type AccessKeyInsert, AccessKeyStore } from "./AccessKeyStore.ts"

/** A key that was just created. The secret is shown once and kept only as its SHA-256. */
export interface IssuedKey {
  readonly key: AccessKey
  readonly secret: Redacted.Redacted
}

export const makeKeyWriting = Effect.gen(function* () {
  const store = yield* AccessKeyStore
  const events = yield* EventLog
  const ids = yield* Ids
  const tokens = yield* makeTokens

  /** Gives an account a key, which begins with a prefix. */
  const issue = Effect.fnUntraced(function* (
    prefix: typeof keyPrefix | typeof botKeyPrefix,
    key: Omit<AccessKeyInsert, "id" | "tokenHash">
  ) {
    const { accountId } = key
    const id = AccessKeyId.make(yield* ids.next)
    const secret = `${prefix}${yield* tokens.make}`
    const tokenHash = yield* tokens.hash(secret)
    const inserted = yield* store.insert({ ...key, id, tokenHash })
    yield* events.append(accountId, { _tag: "AccessKeyCreated", id, account_id: accountId })
    return { key: inserted, secret: Redacted.make(secret) } satisfies IssuedKey
  })

  /** Revokes all keys of an account, but one if it is said. */
  const revokeAllOf = Effect.fnUntraced(function* (
    account: AccountId,
    actor: AccountId,
    at: DateTime.Utc,
    but?: AccessKeyId
  ) {
    const revoked = yield* store.revokeAllOf(account, at, but)
    yield* events.append(
      actor,
      ...revoked.map((id) => ({ _tag: "AccessKeyRevoked", id, account_id: account }) as const)
    )
  })

  return { issue, revokeAllOf } as const
})
