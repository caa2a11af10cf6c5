/** What can go wrong for a plugin. */
import { Data } from "effect"
import type { Ending } from "./Reconnecting.ts"

/** The service does not let the plugin connect, now or any more. */
export class PluginRefused extends Data.TaggedError("PluginRefused")<{
  readonly ending: Ending
  readonly message: string
}> {}

/** The connection ended before the answer to a call came. Whether it was done is not known. */
export class PluginDisconnected extends Data.TaggedError("PluginDisconnected")<{
  readonly ending: Ending
  readonly message: string
}> {}

/** The service answered a call with a failure. */
export class PluginCallFailed extends Data.TaggedError("PluginCallFailed")<{
  /** The code of JSON-RPC 2.0. */
  readonly code: number
  readonly message: string
}> {}

/** The code of a connection that ended without a word, or never was. */
const withoutWord = 1006

const wordsOf = ({ code, reason, status, wasOpen }: Ending): string => {
  if (status !== undefined) return `HTTP ${status}`
  if (code === withoutWord) return wasOpen ? "it broke off" : "there was no connection"
  return `${code}${reason === "" ? "" : ` ${reason}`}`
}

export const refusedWith = (ending: Ending): PluginRefused =>
  new PluginRefused({ ending, message: `The plugin may not connect: ${wordsOf(ending)}` })

export const disconnectedBy = (ending: Ending): PluginDisconnected =>
  new PluginDisconnected({ ending, message: `The connection was closed: ${wordsOf(ending)}` })
