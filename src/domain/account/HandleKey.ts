/** What makes two handles one: how they look, not the code points they are written with. */
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
 * The same for two handles that are one: those that differ in case, in compatibility characters, or in
 * letters beyond ASCII that look like letters of ASCII. Two letters of ASCII stay two, however alike they
 * look in a font. The keys of all accounts are stored: whoever changes this makes them anew in a migration.
 */
export const handleKey = (handle: string): string =>
  Array.from(foldCase(handle).normalize("NFD"), (character) => asciiOf.get(character) ?? character)
    .join("")
    // Both have a dot already.
    .replace(/(?<=[ij])\u0307/g, "")
    .normalize("NFC")
