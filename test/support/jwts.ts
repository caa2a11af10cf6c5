/** JSON Web Tokens in the tests: what is in them, and such as nobody but a test would make. */
import { createHmac, createPrivateKey, type KeyObject, sign } from "node:crypto"
import { Effect, Redacted } from "effect"
import { SigningKeys } from "../../src/domain/signing/SigningKeys.ts"

const base64url = (data: string | Uint8Array) => Buffer.from(data).toString("base64url")

/** What a token says, unchecked. */
export const partsOf = (token: string) => {
  const [header = "", payload = ""] = token.split(".")
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString())
  return { header: read(header), claims: read(payload) }
}

const textOf = (header: object, claims: unknown) =>
  `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`

/** Signs anything as a token. */
export const signed = (key: KeyObject, header: object, claims: unknown) => {
  const text = textOf(header, claims)
  return `${text}.${base64url(sign("sha256", Buffer.from(text), key))}`
}

/** The same with a shared secret, which anybody knows if it is a public key. */
export const signedByMac = (secret: string | Buffer, header: object, claims: unknown) => {
  const text = textOf(header, claims)
  return `${text}.${base64url(createHmac("sha256", secret).update(text).digest())}`
}

export const unsigned = (header: object, claims: unknown) => `${textOf(header, claims)}.`

/** The private half of the key that signs, which only a test would ask for. */
export const signingKey = Effect.flatMap(SigningKeys, ({ signer }) =>
  Effect.map(signer, ({ privateKey }) => createPrivateKey(Redacted.value(privateKey)))
)
