/** What a plugin answers to what the service asks it. */
import { Predicate, Schema } from "effect"
import { Change, changeNames } from "../../domain/change/Changes.ts"
import type { JsonObject } from "../../domain/field/Json.ts"
import { rpcCodes } from "../../domain/plugin/PluginRpc.ts"
import type { Answering, Outcome } from "./Connection.ts"

/** What administrators chose, by the fields of the manifest. */
export type Configuration = JsonObject

/** What a program does with what the service asks. */
export interface Handling {
  readonly event: (event: Change) => unknown
  /** Takes a configuration, or answers false to refuse it. */
  readonly configure: (configuration: Configuration) => boolean | Promise<boolean>
  /** Told what was thrown while an event, or a configuration, was handled. */
  readonly failed: (error: unknown, event: Change | undefined) => void
}

const decodeChange = Schema.decodeUnknownSync(Change)
const names: ReadonlySet<unknown> = new Set(changeNames)

const refusal = (message: string, code: number = rpcCodes.failed): Outcome => ({
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

/** A configuration as the service sends it. */
export const configurationOf = (value: unknown): Configuration => (isConfiguration(value) ? value : {})

export const answeringBy = (handling: Handling): Answering => {
  const startedAt = performance.now()

  const handleEvent = async (params: unknown): Promise<Outcome> => {
    let event: Change | undefined
    try {
      event = eventOf(params)
      if (event !== undefined) await handling.event(event)
      return done({ ok: true })
    } catch (error) {
      handling.failed(error, event)
      return refusal(messageOf(error))
    }
  }

  const handleConfiguration = async (params: unknown): Promise<Outcome> => {
    try {
      return done({ ok: await handling.configure(configurationOf(params)) })
    } catch (error) {
      handling.failed(error, undefined)
      return refusal(messageOf(error))
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
        return refusal(`This plugin has no method ${method}`, rpcCodes.unknownMethod)
    }
  }
}
