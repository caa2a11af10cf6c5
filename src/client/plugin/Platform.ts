/** What some platforms have beyond what browsers have. Where it is missing, nothing is lost but some detail. */
import { Predicate } from "effect"

interface Channels {
  readonly subscribe: (name: string, listener: (message: unknown) => void) => void
  readonly unsubscribe: (name: string, listener: (message: unknown) => void) => void
}

interface Platform {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>
    readonly getBuiltinModule?: (name: "node:diagnostics_channel") => Channels | undefined
  }
}

// The client is compiled without the types of Node, as it runs in browsers, too.
const platform = globalThis as unknown as Platform

/** A variable of the environment, unless it is empty. */
export const environment = (name: string): string | undefined => platform.process?.env?.[name] || undefined

const headers = "undici:request:headers"

const field = (value: unknown, name: string): unknown =>
  Predicate.isObject(value) && Predicate.hasProperty(value, name) ? value[name] : undefined

/**
 * Watches what a request for a connection is answered, which a WebSocket does not tell. Answers how to read the status
 * and end the watch: `undefined` where there was no answer, or the platform does not show it.
 */
export const watchStatus = (address: URL): (() => number | undefined) => {
  const channels = platform.process?.getBuiltinModule?.("node:diagnostics_channel")
  let status: number | undefined
  const listener = (message: unknown) => {
    const found = field(field(message, "response"), "statusCode")
    const path = field(field(message, "request"), "path")
    if (path === `${address.pathname}${address.search}` && typeof found === "number") status = found
  }
  channels?.subscribe(headers, listener)
  return () => {
    channels?.unsubscribe(headers, listener)
    return status
  }
}
