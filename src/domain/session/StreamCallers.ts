/** Answers that last, whose callers are asked about again as long as they do: many of them in one statement. */
import { Context, DateTime, Deferred, Duration, Effect, Latch, Layer, type Scope } from "effect"
import { InternalErrors } from "../operations/InternalErrors.ts"
import type { Actor } from "../shared/Actor.ts"
import { AccessTokens } from "../signing/AccessTokens.ts"
import { withinToken } from "./CallerRules.ts"
import { makePresented } from "./PresentedCredentials.ts"
import type { Credentials, Presented } from "./Session.ts"
import { SessionStore } from "./SessionStore.ts"

/** How often callers are looked at. Who has lost a right is seen within a second, on every instance. */
const lookEvery = Duration.millis(500)

/** How long an answer goes on while storage does not say who its caller is. */
const unknownMax = Duration.seconds(5)

/** How many callers one statement finds. */
const askedAtOnce = 500

interface Watched {
  readonly presented: Presented
  readonly mayGoOn: (caller: Actor) => boolean
  readonly lost: Deferred.Deferred<void>
  seenAt: DateTime.Utc
}

const make = Effect.gen(function* () {
  const store = yield* SessionStore
  const { report } = yield* InternalErrors
  const presentedOf = yield* makePresented
  const watched = new Set<Watched>()
  const someWatched = yield* Latch.make()

  const lose = (one: Watched) => {
    watched.delete(one)
    return Deferred.succeed(one.lost, undefined)
  }

  const judge = (one: Watched, found: Actor, at: DateTime.Utc): Effect.Effect<unknown> => {
    one.seenAt = at
    const caller = withinToken(found, one.presented.accessToken?.scopes)
    return one.mayGoOn(caller) ? Effect.void : lose(one)
  }

  const lookAt = Effect.fnUntraced(function* (some: ReadonlyArray<Watched>) {
    const at = yield* DateTime.now
    const callers = yield* store.identifyAll(
      some.map(({ presented }) => presented),
      at
    )
    yield* Effect.forEach(
      some,
      (one, index) => {
        const caller = callers[index]
        return caller === undefined ? Effect.void : judge(one, caller, at)
      },
      { discard: true }
    )
  })

  /** Whoever may not know any more what happens is not told, if nobody says who it is. */
  const loseUnknown = Effect.gen(function* () {
    const seenSince = DateTime.subtractDuration(yield* DateTime.now, unknownMax)
    const unknown = [...watched].filter(({ seenAt }) => DateTime.isLessThan(seenAt, seenSince))
    yield* Effect.forEach(unknown, lose, { discard: true })
  })

  const look = Effect.gen(function* () {
    const all = [...watched]
    for (let from = 0; from < all.length; from += askedAtOnce) {
      yield* lookAt(all.slice(from, from + askedAtOnce))
    }
  }).pipe(
    Effect.catchCause((failure) =>
      report({
        where: "callers of answers that last",
        what: "Callers of answers that last were not found; trying again",
        failure
      })
    ),
    Effect.andThen(loseUnknown)
  )

  const pause = Effect.suspend(() => {
    if (watched.size === 0) someWatched.closeUnsafe()
    return someWatched.whenOpen(Effect.sleep(lookEvery))
  })

  yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, look)))

  /**
   * Looks again and again whether a caller may go on, as long as the scope is open, and answers what waits until it may
   * not: the credential was ended, the account is suspended, or what it may do has changed.
   */
  const watch = Effect.fn("StreamCallers.watch")(function* (
    credentials: Credentials,
    mayGoOn: (caller: Actor) => boolean
  ): Effect.fn.Return<Effect.Effect<void>, never, Scope.Scope> {
    const presented = yield* presentedOf(credentials)
    const one = { presented, mayGoOn, lost: yield* Deferred.make<void>(), seenAt: yield* DateTime.now }
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        watched.add(one)
        someWatched.openUnsafe()
      }),
      () => Effect.sync(() => watched.delete(one))
    )
    return Deferred.await(one.lost)
  })

  return { watch } as const
})

export class StreamCallers extends Context.Service<StreamCallers, Effect.Success<typeof make>>()(
  "forum/domain/StreamCallers"
) {
  static readonly layer = Layer.effect(StreamCallers, make).pipe(
    Layer.provide(Layer.merge(AccessTokens.layer, InternalErrors.layer))
  )
}
