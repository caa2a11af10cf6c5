/** The codes that devices show and people type (RFC 8628, 6.1). Pure. */
import { Schema } from "effect"

/** The digits and letters of Crockford's base 32, without those that look like others. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const length = 8

/** Bytes of what people type. A code in any form that is meant well has fewer. */
const typedMax = 32

/** How many random bytes a code is made of. */
export const userCodeBytes = length

/** Letters outside of ASCII are none of a code, also those that become some in upper case. */
const ascii = /^[\x20-\x7e]*$/

const form = new RegExp(`^[${alphabet}]{${length}}$`)

/** A code as it is stored: without its hyphen. */
export const UserCode = Schema.String.check(Schema.isPattern(form)).pipe(Schema.brand("UserCode"))
export type UserCode = typeof UserCode.Type

const isUserCode = Schema.is(UserCode)

/** The code that is made of random bytes. Each character is as likely as any other, as there are 32 of them. */
export const userCodeOf = (bytes: Uint8Array): UserCode =>
  UserCode.make(Array.from(bytes.subarray(0, length), (byte) => alphabet.charAt(byte & 31)).join(""))

/** The code that somebody means who types this, in any case, with hyphens, and with letters for the digits that they look like. */
export const readUserCode = (typed: string): UserCode | undefined => {
  const text = typed.trim()
  if (new TextEncoder().encode(typed).length > typedMax || !ascii.test(text)) return undefined
  const code = text.toUpperCase().replaceAll("-", "").replaceAll("O", "0").replace(/[IL]/g, "1")
  return isUserCode(code) ? code : undefined
}

/** The code as people see it. */
export const showUserCode = (code: UserCode): string => `${code.slice(0, 4)}-${code.slice(4)}`
