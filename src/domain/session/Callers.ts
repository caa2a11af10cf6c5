/** Who a request is from. */
import { Context, DateTime, Effect, Layer } from "effect"
import { AccessTokens } from "../signing/AccessTokens.ts"
import type { AskedWithCaller } from "../storage/Transaction.ts"
import { withinToken } from "./CallerRules.ts"
import { makePresented } from "./PresentedCredentials.ts"
import type { Credentials } from "./Session.ts"
import { SessionStore } from "./SessionStore.ts"

const make = Effect.gen(function* () {
  const store = yield* SessionStore
  const presented = yield* makePresented

  /** The caller. Credentials that are malformed, unknown, expired or revoked make a guest. */
  const identify = Effect.fnUntraced(function* (credentials: Credentials) {
    const found = yield* presented(credentials)
    return withinToken(yield* store.identify(found, yield* DateTime.now), found.accessToken?.scopes)
  })

  /** The caller, with the answer to what is asked for them. */
  const identifyWith = Effect.fnUntraced(function* <A>(credentials: Credentials, asked: AskedWithCaller<A>) {
    const found = yield* presented(credentials)
    const [caller, answer] = yield* store.identifyWith(found, yield* DateTime.now, asked)
    return [withinToken(caller, found.accessToken?.scopes), answer] as const
  })

  return { identify, identifyWith } as const
})

export class Callers extends Context.Service<Callers, Effect.Success<typeof make>>()("forum/domain/Callers") {
  static readonly layer = Layer.effect(Callers, make).pipe(Layer.provide(AccessTokens.layer))
}
