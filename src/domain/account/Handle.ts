/** The names by which accounts are addressed. */

import { Effect } from "effect"
import { fixedSegments } from "../shared/FixedSegments.ts"
import * as Slug from "../shared/Slug.ts"
import { HandleInvalid, type HandleRule } from "./Account.ts"
import { confusables } from "./confusables.ts"

/**
 * The text in compatibility form without differences of case. There is no case folding in JavaScript;
 * lower case of upper case does the same, but for the sigma at the end of a word.
 */
export const foldCase = (text: string): string =>
  text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC")

const asciiOf = new Map(
  confusables.flatMap(([ascii, lookalikes]) => Array.from(lookalikes, (one) => [one, ascii] as const))
)

/**
 * The form of a handle that two handles share which are one: those that differ in case, in compatibility characters, or in
 * letters beyond ASCII that look like letters of ASCII. Two letters of ASCII stay two, however alike they
 * look in a font. The keys of all accounts are stored: whoever changes this makes them anew in a migration.
 */
export const handleKey = (handle: string): string =>
  Array.from(foldCase(handle).normalize("NFD"), (character) => asciiOf.get(character) ?? character)
    .join("")
    // Both have a dot already.
    .replace(/(?<=[ij])\u0307/g, "")
    .normalize("NFC")

const handleBytesMax = 30

// What clients write for the caller, for nobody, or for those who run the instance.
const alwaysReserved = new Set(
  [
    ...["me", "admin", "administrator", "system", "guest", "null", "undefined"],
    ...fixedSegments.account_handle
  ].map(handleKey)
)

/** The stored form of a handle: the case of letters makes no difference. */
export const normaliseHandle = (handle: string): string => handle.toLowerCase()

/**
 * The rule for handles that a text breaks, if any; `reserved` are words that the instance reserves. Upper case letters
 * break one, so normalise the text first.
 */
export const brokenHandleRule = (
  text: string,
  reserved: ReadonlyArray<string> = []
): HandleRule | undefined => {
  if (text === "") return "empty"
  if (new TextEncoder().encode(text).length > handleBytesMax) return "too_long"
  if (!Slug.isSlug(text)) return "characters"
  const key = handleKey(text)
  return alwaysReserved.has(key) || reserved.some((word) => handleKey(word) === key) ? "reserved" : undefined
}

/** Checks a new handle, with the words that the instance reserves. */
export const checkHandle = (
  handle: string,
  reserved: ReadonlyArray<string>
): Effect.Effect<void, HandleInvalid> => {
  const rule = brokenHandleRule(handle, reserved)
  return rule === undefined ? Effect.void : Effect.fail(new HandleInvalid({ metadata: { handle, rule } }))
}
