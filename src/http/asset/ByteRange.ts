/** Which part of a file a request asks for (RFC 9110, 14). Pure. */
import type { Part } from "../../domain/asset/AssetBytes.ts"

export type Selection = "whole" | "unsatisfiable" | Part

const oneRange = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/i

/**
 * The part of a file that a `Range` header asks for. One that is malformed, or asks for several parts, asks for the
 * whole.
 */
export const selectRange = (range: string | undefined, size: number): Selection => {
  const [matched, first, last, suffix] = oneRange.exec(range?.replace(/\s/g, "") ?? "") ?? []
  if (matched === undefined) return "whole"
  if (first === undefined) {
    const length = Math.min(Number(suffix), size)
    if (Number(suffix) === 0) return "unsatisfiable"
    return length === 0 ? "whole" : { start: size - length, length }
  }
  const start = Number(first)
  const end = last === undefined ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== undefined && Number(last) < start) return "whole"
  return start >= size ? "unsatisfiable" : { start, length: end - start + 1 }
}

/** Whether the part that a client has already belongs to what this tag identifies. Dates and weak tags prove nothing. */
export const continues = (ifRange: string | undefined, etag: string): boolean =>
  ifRange === undefined || ifRange.trim() === etag
