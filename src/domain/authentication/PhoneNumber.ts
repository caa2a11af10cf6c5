/** Phone numbers as people write them, and the one form in which they are stored. */
import { Schema, SchemaGetter } from "effect"
import * as Text from "../field/Text.ts"

/** Digits of a number with the code of its country. No number that takes messages has fewer. */
const digits = { min: 7, max: 15 }

const e164 = new RegExp(`^\\+[1-9][0-9]{${digits.min - 1},${digits.max - 1}}$`)

// What people put between digits, and what programs put around numbers that are copied from them.
const separators = /[\p{Z}\p{Cf}\p{Pd}\t().·/]/gu

/**
 * The one form of a number, which is that of E.164: a plus and digits. Spaces, hyphens, full stops, slashes and brackets
 * between them are left out, and so is the zero in brackets that is dialled only within the country.
 */
export const toPhoneNumber = (text: string): string | undefined => {
  const written = text.normalize("NFKC").replace(/\(0\)/g, "").replace(separators, "")
  return e164.test(written) ? written : undefined
}

const isPhoneNumber = (text: string): boolean => toPhoneNumber(text) === text

/** A phone number in a request. */
export const PhoneNumberText = Text.verbatim({
  max: 100,
  description: `A phone number in international form (E.164): a plus, the code of the country, and the number without the zero that is dialled only within the country, ${digits.min} to ${digits.max} digits together. Spaces, hyphens, full stops, slashes and brackets do not matter.`,
  // Signs and digits of other forms are brought into one; no letter is among them.
  pattern: "^[^A-Za-z]*$",
  examples: ["+49 1512 3456789"]
}).pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter(isPhoneNumber, {
        expected: `a phone number in international form (E.164): a plus, the code of the country and the number, ${digits.min} to ${digits.max} digits together`
      })
    ),
    {
      decode: SchemaGetter.transform((text: string) => toPhoneNumber(text) ?? text),
      encode: SchemaGetter.passthrough<string>()
    }
  )
)
