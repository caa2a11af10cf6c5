/** A plugin: a program that the service tells what happens, and that may ask it and act as its own account. */
import { Effect, Predicate, Schema } from "effect"
import { Change, type ChangeName, changeNames } from "../../domain/change/Changes.ts"
import type { JsonObject } from "../../domain/field/Json.ts"
import { type RpcFailure, rpcCodes } from "../../domain/plugin/PluginRpc.ts"
import { type Client, makeFetch } from "../Client.ts"
import { type AddressOptions, addressFrom, apiBeside, tokenOf } from "./Address.ts"
import { type Answering, type Connection, type Opening, type Outcome, openConnection } from "./Connection.ts"
import { PluginCallFailed, refusedWith } from "./Failures.ts"
import { environment } from "./Platform.ts"
import { type PluginApi, promisedBy } from "./PluginApi.ts"
import { type Ending, isExternal, longestMilliseconds, mayReconnect, waitAfter } from "./Reconnecting.ts"

/** What administrators chose, by the fields of the manifest. */
export type Configuration = JsonObject

/** Where the API is, without `/api`, and the key of the plugin's account. */
export interface Access {
  readonly baseUrl: string
  readonly accessKey: string
}

export type EventNamed<Name extends ChangeName> = Extract<Change, { readonly event: Name }>

export interface PluginOptions extends AddressOptions {
  /** What to do when something happens, by the names of events that the manifest lists. */
  readonly on?: { readonly [Name in ChangeName]?: (event: EventNamed<Name>, api: PluginApi) => unknown }
  /** Takes what an administrator has chosen, or answers false to refuse it. Without it all is taken. */
  readonly configure?: (configuration: Configuration, api: PluginApi) => boolean | Promise<boolean>
  /** Told what a handler threw. The service is told its message, and logs that. */
  readonly onError?: (error: unknown, event: Change | undefined) => void
  /**
   * Where to call the API, or `FORUM_URL`. Without it, a plugin that the service runs calls it where it connects, as it may
   * reach nothing else; others call it where the service says that it is.
   */
  readonly apiUrl?: string | URL
  /** Closes the plugin when it is aborted, also before there is a connection. */
  readonly signal?: AbortSignal
}

export interface Plugin {
  /** What administrators have chosen: all of it, or these fields. */
  readonly configuration: (keys?: ReadonlyArray<string>) => Promise<Configuration>
  /** Where to call the API, and with which key. Each connection has a key of its own. */
  readonly access: () => Promise<Access>
  /** The API, as the account of the plugin. */
  readonly api: PluginApi
  /** The typed client for Effect, with the key of this connection. */
  readonly client: () => Promise<Client>
  readonly close: () => void
  /** Why it has ended for good: it was closed, is refused, or may connect only once. */
  readonly closed: Promise<Ending>
}

const decodeChange = Schema.decodeUnknownSync(Change)
const names: ReadonlySet<unknown> = new Set(changeNames)

const failed = (message: string, code: number = rpcCodes.failed): Outcome => ({
  _tag: "Failed",
  failure: { code, message }
})
const done = (result: object): Outcome => ({ _tag: "Done", result })

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const eventOf = (params: unknown): Change | undefined =>
  // A service that is newer than this program may tell of more.
  Predicate.hasProperty(params, "event") && names.has(params.event) ? decodeChange(params) : undefined

const isConfiguration = (value: unknown): value is Configuration =>
  Predicate.isObject(value) && !Array.isArray(value)

const configurationOf = (value: unknown): Configuration => (isConfiguration(value) ? value : {})

/** Answers what the service asks, by what the options say. */
const answeringBy = ({ configure, on = {}, onError }: PluginOptions, api: PluginApi): Answering => {
  const startedAt = performance.now()

  const handleEvent = async (params: unknown): Promise<Outcome> => {
    let event: Change | undefined
    try {
      event = eventOf(params)
      // The handler of a name takes the event of that name, which types of unions do not say.
      const handler = event && (on[event.event] as ((event: Change, api: PluginApi) => unknown) | undefined)
      if (event !== undefined) await handler?.(event, api)
      return done({ ok: true })
    } catch (error) {
      onError?.(error, event)
      return failed(messageOf(error))
    }
  }

  const handleConfiguration = async (params: unknown): Promise<Outcome> => {
    try {
      return done({ ok: configure === undefined || (await configure(configurationOf(params), api)) })
    } catch (error) {
      onError?.(error, undefined)
      return failed(messageOf(error))
    }
  }

  return async (method, params) => {
    switch (method) {
      case "event":
        return handleEvent(params)
      case "configure":
        return handleConfiguration(params)
      case "ping":
        return done({ pong: true, uptime_seconds: Math.floor((performance.now() - startedAt) / 1000) })
      default:
        return failed(`This plugin has no method ${method}`, rpcCodes.unknownMethod)
    }
  }
}

const isFailure = (value: unknown): value is RpcFailure =>
  Predicate.hasProperty(value, "code") && typeof value.code === "number"

/** The access that an answer tells, which has its own result or failure in it. */
const accessOf = (answer: unknown, apiUrl: string | URL | undefined): Access => {
  const inner = Predicate.hasProperty(answer, "result") ? answer.result : undefined
  if (Predicate.hasProperty(inner, "api_base_url") && Predicate.hasProperty(inner, "access_key")) {
    return { baseUrl: String(apiUrl ?? inner.api_base_url), accessKey: String(inner.access_key) }
  }
  const error = Predicate.hasProperty(answer, "error") ? answer.error : undefined
  throw isFailure(error)
    ? new PluginCallFailed({ code: error.code, message: error.message })
    : new PluginCallFailed({ code: rpcCodes.internal, message: "The service gave no access" })
}

/** A connection that the service has accepted, and the client that goes with it. */
interface Session {
  readonly connection: Connection
  readonly access: () => Promise<Access>
  readonly client: () => Promise<Client>
}

const sessionOf = (connection: Connection, apiUrl: string | URL | undefined): Session => {
  const once = <A>(make: () => Promise<A>) => {
    let made: Promise<A> | undefined
    return () => {
      made ??= make().catch((error) => {
        made = undefined
        throw error
      })
      return made
    }
  }
  const access = once(async () => accessOf(await connection.call("access_get"), apiUrl))
  const client = once(async () => Effect.runPromise(makeFetch(await access())))
  return { connection, access, client }
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/**
 * Connects a plugin. Answers when the service has accepted it, and is rejected with `PluginRefused` if it does not. An
 * external plugin then stays connected as well as it can: it waits for a service that is away, from 250 milliseconds
 * to 10 seconds at a time. One that the service runs has one connection, and ends with it.
 */
export const connectPlugin = async (options: PluginOptions = {}): Promise<Plugin> => {
  const address = addressFrom(options)
  const token = tokenOf(address)
  const apiUrl =
    options.apiUrl ?? environment("FORUM_URL") ?? (isExternal(token) ? undefined : apiBeside(address))
  let session = Promise.withResolvers<Session>()
  let opening: Opening | undefined
  let isClosing = false
  const closing = Promise.withResolvers<void>()

  const client = async () => (await session.promise).client()
  const api = promisedBy(client)
  const answering = answeringBy(options, api)

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

  const stayConnected = async (): Promise<Ending> => {
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

  const closed = stayConnected()
  await session.promise
  return {
    configuration: async (keys = []) => {
      const answer = await (await session.promise).connection.call("get_config", { keys })
      return configurationOf(Predicate.hasProperty(answer, "config") ? answer.config : undefined)
    },
    access: async () => (await session.promise).access(),
    api,
    client,
    close,
    closed
  }
}
