/** The frames of JSON-RPC 2.0 that the service and its plugins exchange. Pure. */
import { Predicate } from "effect"
import { beginningOf } from "./Beginning.ts"

/** Codes of failures: those of JSON-RPC 2.0, section 5.1, and the one of a call that failed here. */
export const rpcCodes = {
  unreadable: -32700,
  invalidRequest: -32600,
  invalidParameters: -32602,
  unknownMethod: -32601,
  internal: -32603,
  failed: -32000
} as const

/** What a call comes to that fails. */
export interface RpcFailure {
  readonly code: number
  readonly message: string
}

type RpcId = string | number

/** How many characters an id has, which is sent back as it came. */
export const idMax = 256

/** How many values a frame has, with those inside of others: how long it takes to read depends on them. */
export const valuesMax = 50_000

/** What a plugin has sent. */
export type Frame =
  | {
      readonly _tag: "Request"
      /** Absent if no answer is expected. */
      readonly id: RpcId | undefined
      readonly method: string
      readonly params: unknown
    }
  | { readonly _tag: "Result"; readonly id: RpcId; readonly result: unknown }
  | { readonly _tag: "Failure"; readonly id: RpcId; readonly failure: RpcFailure }
  /** A request that gets no other answer, and that without an id. */
  | { readonly _tag: "Refused"; readonly failure: RpcFailure }
  | { readonly _tag: "Unreadable" }

const unreadable: Frame = { _tag: "Unreadable" }

const isLong = (id: unknown) => typeof id === "string" && id.length > idMax

const refusedId: Frame = {
  _tag: "Refused",
  failure: { code: rpcCodes.invalidRequest, message: `An id has ${idMax} characters at most` }
}

const isId = (value: unknown): value is RpcId =>
  (typeof value === "string" && !isLong(value)) || typeof value === "number"

const marks = { quote: 0x22, escape: 0x5c, before: new Set([..."[{,:"].map((mark) => mark.charCodeAt(0))) }

/** Whether JSON has more values than it may. It is not read for that: the marks before values are counted. */
const hasTooMany = (text: string): boolean => {
  if (text.length <= valuesMax) return false
  let values = 0
  let isInside = false
  for (let at = 0; at < text.length && values <= valuesMax; at++) {
    const mark = text.charCodeAt(at)
    if (mark === marks.quote) isInside = !isInside
    else if (isInside) at += mark === marks.escape ? 1 : 0
    else if (marks.before.has(mark)) values++
  }
  return values > valuesMax
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const messageMax = 500

const failureOf = (error: unknown): RpcFailure => ({
  code:
    Predicate.hasProperty(error, "code") && Number.isSafeInteger(error.code)
      ? Number(error.code)
      : rpcCodes.failed,
  message:
    Predicate.hasProperty(error, "message") && typeof error.message === "string"
      ? beginningOf(error.message, messageMax)
      : ""
})

/** What was sent together: one frame, or a batch of at least one (JSON-RPC 2.0, section 6). */
export interface Received {
  readonly isBatch: boolean
  readonly frames: ReadonlyArray<Frame>
}

/** One with a method is a request, whatever else it has. */
const frameOf = (value: unknown): Frame => {
  if (!Predicate.isObject(value) || Array.isArray(value)) return unreadable
  const { error, id, method, params, result }: Readonly<Record<string, unknown>> = value
  if (typeof method === "string") {
    if (isLong(id)) return refusedId
    return { _tag: "Request", id: isId(id) ? id : undefined, method, params }
  }
  if (!isId(id)) return unreadable
  return error === undefined || error === null
    ? { _tag: "Result", id, result }
    : { _tag: "Failure", id, failure: failureOf(error) }
}

/** What a text says. */
export const readFrames = (text: string): Received => {
  const value = hasTooMany(text) ? undefined : parse(text)
  if (!Array.isArray(value)) return { isBatch: false, frames: [frameOf(value)] }
  return { isBatch: true, frames: value.length === 0 ? [unreadable] : value.map(frameOf) }
}

/** One text of several frames. */
export const batchOf = (frames: ReadonlyArray<string>): string => `[${frames.join(",")}]`

const frame = (content: object) => JSON.stringify({ jsonrpc: "2.0", ...content })

export const requestFrame = (id: string, method: string, params: unknown): string =>
  frame({ id, method, params })

/** A result, which names the method that it is of. */
export const resultFrame = (id: RpcId, method: string, result: object): string =>
  frame({ id, result: { method, ...result } })

/** A failure; of a request whose id is not sent back, it has none. */
export const failureFrame = (id: RpcId | null, failure: RpcFailure): string => frame({ id, error: failure })

/** A result that is a frame itself: so the answers to some methods are. */
export const nestedFrame = (
  id: RpcId,
  method: string,
  outcome: { readonly result: object } | { readonly error: RpcFailure }
): string => frame({ id, result: { jsonrpc: "2.0", id, method, ...outcome } })
