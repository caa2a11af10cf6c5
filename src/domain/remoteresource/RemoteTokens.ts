/** Tokens of remote connections for programs of this service: fresh, and refreshed by one program at a time. */
import { Context, Data, DateTime, Effect, Fiber, Layer, Option, type Redacted } from "effect"
import type { RemoteConnectionId } from "../shared/Id.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { decideUpkeep, leaseFor, tokenStateOf } from "./ConnectionRules.ts"
import { RemoteConnectionStore, type StoredConnection } from "./RemoteConnectionStore.ts"
import { makeRemoteSecrets } from "./RemoteSecrets.ts"
import { makeTokenEndpoint } from "./TokenEndpoint.ts"

/** How often and how long those look who wait for another one to refresh. */
const lookEvery = "100 millis"
const lookFor = { seconds: 5 } as const

/**
 * There is no token to use: no such connection; nobody has approved it; its token has expired, and could not be refreshed;
 * or another one refreshes it and takes long.
 */
export class RemoteTokenUnavailable extends Data.TaggedError("RemoteTokenUnavailable")<{
  readonly reason: "unknown" | "missing" | "expired" | "busy"
}> {}

/** What a request to a resource is sent with. */
export interface RemoteToken {
  readonly accessToken: Redacted.Redacted
  readonly tokenType: string
}

const unavailable = (reason: RemoteTokenUnavailable["reason"]) => new RemoteTokenUnavailable({ reason })

const make = Effect.gen(function* () {
  const store = yield* RemoteConnectionStore
  const endpoint = yield* makeTokenEndpoint
  const secrets = yield* makeRemoteSecrets
  const tokens = yield* makeTokens
  const scope = yield* Effect.scope

  const get = Effect.fnUntraced(function* (id: RemoteConnectionId) {
    const found = yield* store.find(id)
    return Option.isSome(found) ? found.value : yield* unavailable("unknown")
  })

  const open = Effect.fnUntraced(function* ({ sealedAccessToken, shown }: StoredConnection) {
    if (sealedAccessToken === undefined) return yield* unavailable("missing")
    return {
      accessToken: yield* secrets.open("access token", shown.id, sealedAccessToken),
      tokenType: shown.token_type ?? "Bearer"
    } satisfies RemoteToken
  })

  const noteFailure = Effect.fnUntraced(function* (id: RemoteConnectionId, holder: string, message: string) {
    const about = { remote_connection_id: id }
    yield* Effect.annotateLogs(Effect.logWarning("A remote token could not be refreshed", message), about)
    yield* store.noteRefreshFailure(id, holder, message, yield* DateTime.now)
  })

  /** Refreshes with the lease that this holder has. */
  const refreshHeld = Effect.fnUntraced(function* (connection: StoredConnection, holder: string) {
    const { sealedRefreshToken, shown } = connection
    if (sealedRefreshToken === undefined) return
    const token = yield* secrets.open("refresh token", shown.id, sealedRefreshToken)
    yield* endpoint.refresh(connection, token).pipe(
      Effect.flatMap((grant) => endpoint.sealed(connection, grant)),
      Effect.flatMap((update) => store.keepRefreshed(shown.id, holder, update)),
      Effect.catch(({ message }) => noteFailure(shown.id, holder, message))
    )
  })

  /** Refreshes, if nobody else does; false if somebody does. */
  const refresh = Effect.fnUntraced(function* (connection: StoredConnection, now: DateTime.Utc) {
    const holder = yield* tokens.make
    const lease = { holder, until: DateTime.add(now, leaseFor) }
    const { revision, shown } = connection
    if (!(yield* store.takeLease(shown.id, revision, lease, now))) return false
    // Goes on without who asked: the server may have replaced the token to refresh already.
    yield* Effect.flatMap(Effect.forkIn(refreshHeld(connection, holder), scope), Fiber.join)
    return true
  })

  const isValid = ({ expiry }: StoredConnection, now: DateTime.Utc) =>
    expiry === undefined || DateTime.isGreaterThan(expiry, now)

  /** The access token of a connection, for five minutes at least where the server allows it. */
  const getFresh = Effect.fn("RemoteTokens.getFresh")(function* (id: RemoteConnectionId) {
    const deadline = DateTime.add(yield* DateTime.now, lookFor)
    let connection = yield* get(id)
    const { revision } = connection
    while (true) {
      const now = yield* DateTime.now
      // Whoever refreshed it, it is as fresh as the server makes it.
      const isRefreshed = connection.revision !== revision
      if (isRefreshed && isValid(connection, now)) return yield* open(connection)
      const upkeep = isRefreshed ? "expired" : decideUpkeep(tokenStateOf(connection), now)
      if (upkeep === "use") return yield* open(connection)
      if (upkeep === "missing" || upkeep === "expired") return yield* unavailable(upkeep)
      const hasRefreshed = upkeep === "refresh" && (yield* refresh(connection, now))
      if (!hasRefreshed) {
        if (DateTime.isGreaterThanOrEqualTo(now, deadline)) {
          return isValid(connection, now) ? yield* open(connection) : yield* unavailable("busy")
        }
        yield* Effect.sleep(lookEvery)
      }
      connection = yield* get(id)
    }
  })

  return { getFresh } as const
})

export class RemoteTokens extends Context.Service<RemoteTokens, Effect.Success<typeof make>>()(
  "forum/domain/RemoteTokens"
) {
  static readonly layer = Layer.effect(RemoteTokens, make)
}
