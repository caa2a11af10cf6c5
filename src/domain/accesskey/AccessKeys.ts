/** What people may do with access keys. */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { AccessKeyId, type AccountId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { AccessKeyNotFound, keyPrefix, type NewAccessKey } from "./AccessKey.ts"
import { AccessKeyStore } from "./AccessKeyStore.ts"
import { makeKeyWriting } from "./KeyWriting.ts"

const isKeyId = Schema.is(AccessKeyId)

const notFound = (id: string) => new AccessKeyNotFound({ metadata: { access_key_id: id } })

const make = Effect.gen(function* () {
  const store = yield* AccessKeyStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const { issue } = yield* makeKeyWriting

  /** The caller's keys, newest first. */
  const list = Effect.fn("AccessKeys.list")(function* () {
    const { accountId } = yield* CurrentAccount
    return yield* store.listOf(accountId)
  })

  const create = Effect.fn("AccessKeys.create")(function* ({ expires_at, name }: NewAccessKey) {
    const { accountId } = yield* CurrentAccount
    const at = yield* DateTime.now
    return yield* transaction(issue(keyPrefix, { accountId, name, at, expiresAt: expires_at }))
  })

  /** Revokes a key of one account, or of any. A key that was revoked stays so. */
  const revokeOf = Effect.fnUntraced(function* (id: string, owner: AccountId | undefined) {
    const { accountId } = yield* CurrentAccount
    if (!isKeyId(id)) return yield* notFound(id)
    const at = yield* DateTime.now
    const revocation = Effect.gen(function* () {
      const found = Option.getOrUndefined(yield* store.findOwnerForUpdate(id))
      if (found === undefined || (owner !== undefined && owner !== found)) return yield* notFound(id)
      if (!(yield* store.revoke(id, at))) return
      yield* events.append(accountId, { _tag: "AccessKeyRevoked", id, account_id: found })
    })
    yield* transaction(revocation)
  })

  /** Revokes a key of the caller. */
  const revoke = Effect.fn("AccessKeys.revoke")(function* (id: string) {
    const { accountId } = yield* CurrentAccount
    yield* revokeOf(id, accountId)
  })

  /** Revokes anybody's key. */
  const revokeAny = Effect.fn("AccessKeys.revokeAny")(function* (id: string) {
    yield* revokeOf(id, undefined)
  })

  return { list, listAll: store.list, create, revoke, revokeAny } as const
})

export class AccessKeys extends Context.Service<AccessKeys, Effect.Success<typeof make>>()(
  "forum/domain/AccessKeys"
) {
  static readonly layer = Layer.effect(AccessKeys, make)
}
