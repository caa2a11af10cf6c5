/** What people do with the ways in which they sign in. */
import { Context, Effect, Layer } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type AccountAuthMethod, type AccountAuthMethods, LastAuthMethod } from "./AuthMethod.ts"
import { activeOf, decideRemoval, type StoredMethod } from "./AuthMethodRules.ts"
import { AuthMethodStore } from "./AuthMethodStore.ts"
import { AuthProviders } from "./AuthProviders.ts"

const make = Effect.gen(function* () {
  const store = yield* AuthMethodStore
  const providers = yield* AuthProviders
  const events = yield* EventLog
  const transaction = yield* Transaction

  const shown = ({ createdAt, id, identifier, name, service }: StoredMethod): AccountAuthMethod => ({
    id,
    created_at: createdAt,
    name,
    identifier,
    provider: providers.shown(service)
  })

  /** The caller's methods that work, and all services that the instance offers. */
  const list = Effect.fn("AuthMethods.list")(function* () {
    const { accountId } = yield* CurrentAccount
    const [offered, methods] = yield* Effect.all([providers.services, store.listOf(accountId)], {
      concurrency: "unbounded"
    })
    return {
      active: activeOf(methods, offered).map(shown),
      available: offered.map(providers.shown)
    } satisfies AccountAuthMethods
  })

  /** Gives up one of the caller's methods. Sessions that it began stay. */
  const remove = Effect.fn("AuthMethods.remove")(function* (id: string) {
    const { accountId } = yield* CurrentAccount
    const offered = yield* providers.services
    const removal = Effect.gen(function* () {
      const decision = decideRemoval(yield* store.listForUpdate(accountId), offered, id)
      if (decision._tag === "Last") return yield* new LastAuthMethod()
      if (decision._tag === "Unknown") return
      yield* store.delete(accountId, decision.method)
      const { service } = decision.method
      yield* events.append(accountId, { _tag: "AuthMethodRemoved", account_id: accountId, service })
    })
    yield* transaction(removal)
    return yield* list()
  })

  return { list, remove } as const
})

export class AuthMethods extends Context.Service<AuthMethods, Effect.Success<typeof make>>()(
  "forum/domain/AuthMethods"
) {
  static readonly layer = Layer.effect(AuthMethods, make).pipe(Layer.provide(AuthProviders.layer))
}
