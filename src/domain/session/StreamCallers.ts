/** Answers that last, whose callers are asked about again as long as they do: once for all who present the same. */
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

/** How many credentials one statement asks for. */
const askedAtOnce = 500

/** An answer that lasts, as far as its caller matters. */
export interface Lasting {
  /** Gets the caller as of now, and decides. */
  readonly mayGoOn: (caller: Actor) => boolean
  /** Called once the caller may not have the answer any more. */
  readonly end: () => void
}

interface Watched {
  readonly lasting: Lasting
  /** Those who are asked for together with this one. */
  group: Group
  seenAt: DateTime.Utc
}

/** Answers whose callers present the same, so that one question finds the caller of all of them. */
interface Group {
  readonly name: string
  readonly presented: Presented
  readonly members: Set<Watched>
}

const nameOf = ({ accessKey, accessToken, session }: Presented): string =>
  [session?.toHex(), accessKey?.toHex(), accessToken?.id].join(" ")

/** Those who are watched, by what they present. */
const makeGroups = () => {
  const groups = new Map<string, Group>()

  const find = (presented: Presented): Group => {
    const name = nameOf(presented)
    const group = groups.get(name) ?? { name, presented, members: new Set() }
    groups.set(name, group)
    return group
  }

  const leave = (one: Watched) => {
    const { members, name } = one.group
    if (members.delete(one) && members.size === 0) groups.delete(name)
  }

  const join = (one: Watched) => {
    one.group.members.add(one)
  }

  const nobodys = nameOf({})

  /** A credential that is none any more does not become one again: nothing is asked about it from now on. */
  const forgetCredential = (one: Watched) => {
    if (one.group.name === nobodys) return
    leave(one)
    one.group = find({})
    join(one)
  }

  return { all: () => [...groups.values()], find, join, leave, forgetCredential } as const
}

const make = Effect.gen(function* () {
  const store = yield* SessionStore
  const { report } = yield* InternalErrors
  const presentedOf = yield* makePresented
  const groups = makeGroups()
  const someWatched = yield* Latch.make()

  const lose = (one: Watched) => {
    groups.leave(one)
    one.lasting.end()
  }

  const judge = (one: Watched, caller: Actor, at: DateTime.Utc) => {
    // It may be over meanwhile.
    if (!one.group.members.has(one)) return
    one.seenAt = at
    if (!one.lasting.mayGoOn(caller)) lose(one)
    else if (caller._tag === "Guest") groups.forgetCredential(one)
  }

  const lookAt = Effect.fnUntraced(function* (some: ReadonlyArray<Group>) {
    const at = yield* DateTime.now
    // Whoever comes meanwhile is judged by the next look: this one may know less than their request did.
    const asked = some.map(({ members, presented }) => ({ presented, members: [...members] }))
    const callers = yield* store.identifyAll(
      asked.map(({ presented }) => presented),
      at
    )
    for (const [index, { members, presented }] of asked.entries()) {
      const found = callers[index]
      if (found === undefined) continue
      // One object for all of them, so that what is decided about it is decided once.
      const caller = withinToken(found, presented.accessToken?.scopes)
      for (const one of members) judge(one, caller, at)
    }
  })

  /** Whoever may not know any more what happens is not told, if nobody says who it is. */
  const loseUnknown = Effect.gen(function* () {
    const seenSince = DateTime.subtractDuration(yield* DateTime.now, unknownMax)
    for (const { members } of groups.all()) {
      for (const one of [...members]) if (DateTime.isLessThan(one.seenAt, seenSince)) lose(one)
    }
  })

  const look = Effect.gen(function* () {
    const all = groups.all()
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
    if (groups.all().length === 0) someWatched.closeUnsafe()
    return someWatched.whenOpen(Effect.sleep(lookEvery))
  })

  yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, look)))

  /**
   * Looks again and again whether a caller may go on, as long as the scope is open. It may not when the credential was
   * ended, the account is suspended, or what it may do has changed.
   */
  const follow = Effect.fn("StreamCallers.follow")(function* (
    credentials: Credentials,
    lasting: Lasting
  ): Effect.fn.Return<void, never, Scope.Scope> {
    const presented = yield* presentedOf(credentials)
    const seenAt = yield* DateTime.now
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const one: Watched = { lasting, seenAt, group: groups.find(presented) }
        groups.join(one)
        someWatched.openUnsafe()
        return one
      }),
      (one) => Effect.sync(() => groups.leave(one))
    )
  })

  /** As `follow`, and answers what waits until the caller may not go on. */
  const watch = Effect.fn("StreamCallers.watch")(function* (
    credentials: Credentials,
    mayGoOn: (caller: Actor) => boolean
  ): Effect.fn.Return<Effect.Effect<void>, never, Scope.Scope> {
    const lost = yield* Deferred.make<void>()
    const end = () => {
      Deferred.doneUnsafe(lost, Effect.void)
    }
    yield* follow(credentials, { mayGoOn, end })
    return Deferred.await(lost)
  })

  return { follow, watch } as const
})

export class StreamCallers extends Context.Service<StreamCallers, Effect.Success<typeof make>>()(
  "forum/domain/StreamCallers"
) {
  static readonly layer = Layer.effect(StreamCallers, make).pipe(
    Layer.provide(Layer.merge(AccessTokens.layer, InternalErrors.layer))
  )
}
