/**
 * The forms of password hashes that can be checked: ours, and those that accounts bring along from other programs. Such a
 * hash is computed again when its account signs in, so that what it costs has bounds. Pure.
 */
import { isSecretHash } from "./SecretHash.ts"

/** Characters of a hash. */
export const passwordHashMax = 255

/** What hashes of other programs may cost. Each bound is about half a second to two of one processor. */
export const foreignHashCosts = {
  /** The logarithm of how often bcrypt mixes. */
  bcrypt: { least: 4, most: 14 },
  /** Iterations of PBKDF2, times the blocks of its key. */
  pbkdf2: 2_000_000
}

export type PasswordHashForm =
  | { readonly _tag: "Argon2id" }
  | {
      readonly _tag: "Bcrypt"
      readonly hash: string
      /** What bcrypt was given: the password, or the hexadecimal digits of its SHA-512. */
      readonly of: "password" | "sha512"
    }
  | {
      readonly _tag: "Pbkdf2"
      readonly digest: "SHA-1" | "SHA-256" | "SHA-512"
      readonly iterations: number
      readonly salt: string
      readonly key: string
    }

const bcryptForm = /^(\$sha512)?(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53})$/
const pbkdf2Form =
  /^\$pbkdf2-(sha1|sha256|sha512)\$i=([1-9]\d{0,9})(?:,l=(\d{1,3}))?\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const digests = {
  sha1: { digest: "SHA-1", bytes: 20 },
  sha256: { digest: "SHA-256", bytes: 32 },
  sha512: { digest: "SHA-512", bytes: 64 }
} as const

/** How many bytes an unpadded text in Base64 stands for; none for a length that no text has. */
const bytesOf = (text: string): number => (text.length % 4 === 1 ? 0 : Math.floor((text.length * 3) / 4))

const bcryptOf = (text: string): PasswordHashForm | undefined => {
  const [, wrapped, hash = "", cost = ""] = bcryptForm.exec(text) ?? []
  const { least, most } = foreignHashCosts.bcrypt
  if (hash === "" || Number(cost) < least || Number(cost) > most) return undefined
  return { _tag: "Bcrypt", hash, of: wrapped === undefined ? "password" : "sha512" }
}

const pbkdf2Of = (text: string): PasswordHashForm | undefined => {
  const [, name = "", count, length, salt = "", key = ""] = pbkdf2Form.exec(text) ?? []
  const known = name === "sha1" || name === "sha256" || name === "sha512" ? digests[name] : undefined
  if (known === undefined) return undefined
  const [iterations, bytes] = [Number(count), bytesOf(key)]
  const isWithin =
    bytes >= 16 &&
    bytes <= 64 &&
    (length === undefined || Number(length) === bytes) &&
    bytesOf(salt) >= 1 &&
    bytesOf(salt) <= 64 &&
    iterations * Math.ceil(bytes / known.bytes) <= foreignHashCosts.pbkdf2
  return isWithin ? { _tag: "Pbkdf2", digest: known.digest, iterations, salt, key } : undefined
}

/** The form of a hash whose cost is within bounds; none of any other text. */
export const passwordHashForm = (text: string): PasswordHashForm | undefined => {
  if (text.length > passwordHashMax) return undefined
  return isSecretHash(text) ? { _tag: "Argon2id" } : (bcryptOf(text) ?? pbkdf2Of(text))
}
