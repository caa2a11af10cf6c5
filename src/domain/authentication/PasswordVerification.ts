/** Checks passwords against hashes, whatever program made them. */
import { Effect, Redacted, Result } from "effect"
import { Digest, Kdf, Mac } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { Bcrypt } from "./Bcrypt.ts"
import { preparedPassword } from "./Password.ts"
import { type PasswordHashForm, passwordHashForm } from "./PasswordHashForms.ts"
import { HashingPlace, PasswordHashing } from "./PasswordHashing.ts"

const digests = { "SHA-1": Digest.sha1, "SHA-256": Digest.sha256, "SHA-512": Digest.sha512 }

const bytesOf = (unpadded: string) =>
  Result.getOrThrow(Base64.decode(unpadded + "=".repeat((4 - (unpadded.length % 4)) % 4)))

const encoder = new TextEncoder()

type ForeignForm = Exclude<PasswordHashForm, { readonly _tag: "Argon2id" }>

/** What another program may have been given for a password: as it was typed, and in the form that we hash. */
const readings = (password: Redacted.Redacted) => {
  const typed = Redacted.value(password)
  return new Set([typed, preparedPassword(typed)])
}

export const makePasswordVerification = Effect.gen(function* () {
  const kdf = yield* Kdf.Kdf
  const digest = yield* Digest.Digest
  const bcrypt = yield* Bcrypt
  const hashing = yield* PasswordHashing

  const made = Effect.fnUntraced(function* (text: string, form: ForeignForm) {
    if (form._tag === "Bcrypt") {
      const given =
        form.of === "password"
          ? text
          : yield* Effect.orDie(digest.digestHex(Digest.sha512, encoder.encode(text)))
      return yield* bcrypt.verify(given, form.hash)
    }
    const expected = bytesOf(form.key)
    const algorithm = Kdf.pbkdf2({ hash: digests[form.digest], iterations: form.iterations })
    const options = { salt: bytesOf(form.salt), length: expected.length }
    return Mac.timingSafeEqual(
      yield* Effect.orDie(kdf.derive(algorithm, encoder.encode(text), options)),
      expected
    )
  })

  /** Whether the password made a hash. */
  const verify = Effect.fn("PasswordVerification.verify")(function* (
    password: Redacted.Redacted,
    stored: string
  ) {
    yield* HashingPlace
    const form = passwordHashForm(stored)
    if (form === undefined || form._tag === "Argon2id") return yield* hashing.verify(password, stored)
    for (const text of readings(password)) {
      if (yield* made(text, form)) return true
    }
    return false
  })

  return verify
})
