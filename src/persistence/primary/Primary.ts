/**
 * Follows the primary of a database that has several servers: connections go to the server that takes writes, and those
 * to the one before are cut off once another has been promoted. A server that is lost without a word would keep them
 * busy for minutes.
 */
import type { Socket } from "node:net"
import type { PgClient } from "@effect/sql-pg"
import { Data, Duration, Effect, type Scope } from "effect"
import { type DatabaseAddress, type DatabaseHost, hostText } from "./DatabaseAddress.ts"
import { askAll, connectTo, describeAsked, type Login, primaryOf, stateOn } from "./FindPrimary.ts"
import { isSame, makeServerSockets } from "./ServerSockets.ts"

/** How often the primary is asked whether it still is one. */
const askEvery = Duration.seconds(1)

/** How often all servers are asked while none takes writes. */
const searchEvery = Duration.millis(250)

/** How long the first search takes at most. */
const firstSearch = Duration.seconds(10)

/** No server takes writes. The message says what each of them answered. */
export class NoPrimary extends Data.TaggedError("NoPrimary")<{ readonly message: string }> {}

export interface Primary {
  /** The server that took writes when it was last asked. */
  readonly current: () => DatabaseHost
  /** Opens a connection to it. */
  readonly open: () => Socket
}

/** Asks until a server takes writes. `failed` is told what the servers said each time that none did. */
const search = Effect.fnUntraced(function* (
  login: Login,
  hosts: ReadonlyArray<DatabaseHost>,
  failed: (said: string) => Effect.Effect<void, NoPrimary>
) {
  while (true) {
    const asked = yield* askAll(login, hosts)
    const found = primaryOf(asked)
    if (found !== undefined) return found
    yield* failed(describeAsked(asked))
    yield* Effect.sleep(searchEvery)
  }
})

/** Finds the primary once, within some seconds. */
export const findPrimary = (
  { hosts }: DatabaseAddress,
  login: Login
): Effect.Effect<DatabaseHost, NoPrimary> => {
  let last = ""
  return search(login, hosts, (said) =>
    Effect.sync(() => {
      last = said
    })
  ).pipe(
    Effect.timeoutOrElse({
      duration: firstSearch,
      orElse: () => Effect.fail(new NoPrimary({ message: `no server takes writes (${last})` }))
    })
  )
}

/** Ends once the server does not take writes any more, or does not say so. */
const watch = (login: Login, host: DatabaseHost) =>
  Effect.gen(function* () {
    const connection = yield* connectTo(login, host)
    while (true) {
      const state = yield* stateOn(connection)
      if (state.kind !== "primary") return
      yield* Effect.sleep(askEvery)
    }
  }).pipe(Effect.scoped, Effect.ignore)

/** Finds the primary, and follows it until the scope closes. */
export const followPrimary = Effect.fnUntraced(function* (
  address: DatabaseAddress,
  login: Login
): Effect.fn.Return<Primary, NoPrimary, Scope.Scope> {
  const sockets = makeServerSockets()
  let current = yield* findPrimary(address, login)

  const follow = Effect.gen(function* () {
    yield* watch(login, current)
    let isKnown = false
    const found = yield* search(login, address.hosts, (said) => {
      if (isKnown) return Effect.void
      isKnown = true
      return Effect.logWarning(`No server of the database takes writes (${said})`)
    })
    const before = current
    current = found
    if (isSame(before, found)) {
      // What keeps it from answering on one connection and not on another may go on.
      yield* Effect.sleep(searchEvery)
      return
    }
    sockets.cutOthers(found)
    yield* Effect.logWarning(
      `The primary of the database is ${hostText(found)} now, and was ${hostText(before)}`
    )
  })
  yield* Effect.forkScoped(Effect.forever(follow))

  return { current: () => current, open: () => sockets.open(current) }
})

/**
 * Options whose every connection goes to the primary. The host, which TLS verifies, is read anew with each.
 */
export const atPrimary = <Options extends PgClient.PgClientConfig>(
  options: Options,
  { current, open }: Primary
): Options => ({
  ...options,
  get host() {
    return current().host
  },
  get port() {
    return current().port
  },
  stream: open
})
