/** Keeps a plugin connected, as well as it can be. */
import type { Client } from "../Client.ts"
import { type AddressOptions, addressFrom, apiBeside, tokenOf } from "./Address.ts"
import { answeringBy, type Configuration, type Handling } from "./Answering.ts"
import { type Opening, openConnection } from "./Connection.ts"
import { PluginCallFailed, refusedWith } from "./Failures.ts"
import { environment } from "./Platform.ts"
import { type Ending, isExternal, longestMilliseconds, mayReconnect, waitAfter } from "./Reconnecting.ts"
import { type Access, type Session, sessionOf } from "./Session.ts"

export interface ConnectionOptions extends AddressOptions {
  /**
   * Where to call the API, or `FORUM_URL`. Without it, a plugin that the service runs calls it where it connects, as it may
   * reach nothing else; others call it where the service says that it is.
   */
  readonly apiUrl?: string | URL
  /** Closes the plugin when it is aborted, also before there is a connection. */
  readonly signal?: AbortSignal
}

/** A plugin that was connected. What is asked between two connections waits for the next one. */
export interface Connected {
  /** What administrators have chosen: all of it, or these fields. */
  readonly configuration: (keys?: ReadonlyArray<string>) => Promise<Configuration>
  /** Where to call the API, and with which key. Each connection has a key of its own. */
  readonly access: () => Promise<Access>
  /** The typed client for Effect, with the key of this connection. */
  readonly client: () => Promise<Client>
  readonly close: () => void
  /** Why it has ended for good: it was closed, is refused, or may connect only once. */
  readonly closed: Promise<Ending>
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/**
 * Connects, and answers when the service has accepted that; is rejected with `PluginRefused` if it does not. An external
 * plugin is connected again when a connection ends. `handlingOf` is told how to find the client of the connection of then.
 */
export const keepConnected = async (
  options: ConnectionOptions,
  handlingOf: (client: Connected["client"]) => Handling
): Promise<Connected> => {
  const address = addressFrom(options)
  const token = tokenOf(address)
  const apiUrl =
    options.apiUrl ?? environment("FORUM_URL") ?? (isExternal(token) ? undefined : apiBeside(address))
  let session = Promise.withResolvers<Session>()
  let opening: Opening | undefined
  let isClosing = false
  const closing = Promise.withResolvers<void>()

  const client = async () => (await session.promise).client()
  const answering = answeringBy(handlingOf(client))

  /** Has one connection, until it ends. */
  const connectOnce = async (): Promise<Ending> => {
    opening = openConnection(address, answering)
    const connection = await opening.opened
    // A plugin that may not connect now has a connection for a moment; one that is accepted is answered.
    const isAccepted = await connection?.call("get_config", { keys: [] }).then(
      () => true,
      (failure) => failure instanceof PluginCallFailed
    )
    if (connection !== undefined && isAccepted === true) session.resolve(sessionOf(connection, apiUrl))
    const ending = await opening.ended
    if (isAccepted === true) {
      session = Promise.withResolvers<Session>()
      // Nobody may be waiting for the next one.
      session.promise.catch(() => {})
    }
    return ending
  }

  const connectAgain = async (): Promise<Ending> => {
    let attempts = 0
    while (true) {
      const startedAt = performance.now()
      const ending = await connectOnce()
      const hasLasted = performance.now() - startedAt > longestMilliseconds
      if (!isClosing && mayReconnect(token, ending)) {
        attempts = hasLasted ? 0 : attempts
        await Promise.race([pause(waitAfter(attempts++)), closing.promise])
        if (!isClosing) continue
      }
      session.reject(refusedWith(ending))
      return ending
    }
  }

  const close = () => {
    isClosing = true
    closing.resolve()
    opening?.close()
  }
  options.signal?.throwIfAborted()
  options.signal?.addEventListener("abort", close)

  const closed = connectAgain()
  await session.promise
  return {
    configuration: async (keys = []) => (await session.promise).configuration(keys),
    access: async () => (await session.promise).access(),
    client,
    close,
    closed
  }
}
