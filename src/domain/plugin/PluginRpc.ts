/** The frames of JSON-RPC 2.0 that the service and its plugins exchange. Pure. */
import { Predicate } from "effect"

/** Codes of failures: those of JSON-RPC 2.0, section 5.1, and the one of a call that failed here. */
export const rpcCodes = {
  unreadable: -32700,
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
  | { readonly _tag: "Unreadable" }

const unreadable: Frame = { _tag: "Unreadable" }

const isId = (value: unknown): value is RpcId => typeof value === "string" || typeof value === "number"

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const messageMax = 500

const failureOf = (error: unknown): RpcFailure => ({
  code: Predicate.hasProperty(error, "code") && typeof error.code === "number" ? error.code : rpcCodes.failed,
  message:
    Predicate.hasProperty(error, "message") && typeof error.message === "string"
      ? error.message.slice(0, messageMax)
      : ""
})

/** What a text frame says. One with a method is a request, whatever else it has. */
export const readFrame = (text: string): Frame => {
  const value = parse(text)
  if (!Predicate.isObject(value) || Array.isArray(value)) return unreadable
  const { error, id, method, params, result }: Readonly<Record<string, unknown>> = value
  if (typeof method === "string") {
    return { _tag: "Request", id: isId(id) ? id : undefined, method, params }
  }
  if (!isId(id)) return unreadable
  return error === undefined || error === null
    ? { _tag: "Result", id, result }
    : { _tag: "Failure", id, failure: failureOf(error) }
}

const frame = (content: object) => JSON.stringify({ jsonrpc: "2.0", ...content })

export const requestFrame = (id: string, method: string, params: unknown): string =>
  frame({ id, method, params })

/** A result, which names the method that it is of. */
export const resultFrame = (id: RpcId, method: string, result: object): string =>
  frame({ id, result: { method, ...result } })

export const failureFrame = (id: RpcId, failure: RpcFailure): string => frame({ id, error: failure })

/** A result that is a frame itself: so the answers to some methods are. */
export const nestedFrame = (
  id: RpcId,
  method: string,
  outcome: { readonly result: object } | { readonly error: RpcFailure }
): string => frame({ id, result: { jsonrpc: "2.0", id, method, ...outcome } })
