/** The names by which accounts are addressed. */
import { Effect } from "effect"
import * as Slug from "../shared/Slug.ts"
import { HandleInvalid, type HandleRule } from "./Account.ts"
import { handleKey } from "./HandleKey.ts"

const handleBytesMax = 30

// What clients write for the caller, for nobody, or for those who run the instance.
const reserved = new Set(
  ["me", "self", "null", "undefined", "guest", "everyone", "system", "root", "api"]
    .concat(["admin", "administrator", "moderator", "staff", "support"])
    .map(handleKey)
)

const isIdShaped = (text: string): boolean => /^[0-9a-v]{20}$/.test(text)

/** Handles are the same whatever the case of their letters. */
export const normaliseHandle = (handle: string): string => handle.toLowerCase()

/** The rule for handles that a text breaks, if any. Upper case letters break one, so normalise the text first. */
export const brokenHandleRule = (text: string): HandleRule | undefined => {
  if (text === "") return "empty"
  if (new TextEncoder().encode(text).length > handleBytesMax) return "too_long"
  if (!Slug.isSlug(text)) return "characters"
  const key = handleKey(text)
  return reserved.has(key) || isIdShaped(text) || isIdShaped(key) ? "reserved" : undefined
}

export const checkHandle = (handle: string): Effect.Effect<void, HandleInvalid> => {
  const rule = brokenHandleRule(handle)
  return rule === undefined ? Effect.void : Effect.fail(new HandleInvalid({ metadata: { handle, rule } }))
}
