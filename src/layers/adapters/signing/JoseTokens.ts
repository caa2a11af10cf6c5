/** Keys and tokens by the package jose, which is loaded with the first of them. */
import { createHash, createPublicKey } from "node:crypto"
import { DateTime, Effect, Layer, Option, Redacted } from "effect"
import { JsonWebTokens } from "../../../domain/signing/JsonWebTokens.ts"
import type { KeyPair, PublicKey } from "../../../domain/signing/SigningKey.ts"

const algorithm = "RS256"

/** More keys than are valid at a time; those that were imported longest ago are forgotten. */
const importedMax = 16

type Jose = typeof import("jose")

// Each import of a module that is loaded takes as long as checking a signature.
let loaded: Jose | undefined
const load = Effect.promise(async () => {
  loaded = await import("jose")
  return loaded
})
const jose = Effect.suspend(() => (loaded === undefined ? load : Effect.succeed(loaded)))

/** The default id of a key: the first 8 bytes of the SHA-256 of its public half as PKCS#1, in hexadecimal digits. */
const kidOf = (privateKey: string): string =>
  createHash("sha256")
    .update(createPublicKey(privateKey).export({ type: "pkcs1", format: "der" }))
    .digest("hex")
    .slice(0, 16)

/** A key whose private half is PKCS#8 in PEM, with its default id unless another is given. */
export const keyPairOf = (
  privateKey: Redacted.Redacted<string>,
  kid = kidOf(Redacted.value(privateKey))
): Effect.Effect<KeyPair> =>
  Effect.map(
    Effect.flatMap(jose, ({ exportJWK }) =>
      Effect.promise(() => exportJWK(createPublicKey(Redacted.value(privateKey))))
    ),
    ({ e = "", n = "" }) => ({ publicKey: { kid, n, e }, privateKey })
  )

/** Imports a key once. */
const importing = <K>(idOf: (key: K) => string, load: (key: K) => Effect.Effect<CryptoKey>) => {
  const imported = new Map<string, CryptoKey>()
  return (key: K): Effect.Effect<CryptoKey> => {
    const id = idOf(key)
    const known = imported.get(id)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(load(key), (loaded) => {
      const [oldest] = imported.keys()
      if (imported.size >= importedMax && oldest !== undefined) imported.delete(oldest)
      imported.set(id, loaded)
      return loaded
    })
  }
}

/** Whether the signature is written as it was issued: its last character has bits that belong to nothing. */
const isCanonical = (token: string): boolean => {
  const signature = token.slice(token.lastIndexOf(".") + 1)
  return Buffer.from(signature, "base64url").toString("base64url") === signature
}

const make = Effect.gen(function* () {
  const privateKeyOf = importing(
    ({ publicKey }: KeyPair) => publicKey.n,
    ({ privateKey }) =>
      Effect.flatMap(jose, ({ importPKCS8 }) =>
        Effect.promise(() => importPKCS8(Redacted.value(privateKey), algorithm))
      )
  )

  const publicKeyOf = importing(
    ({ n }: PublicKey) => n,
    ({ e, n }) =>
      Effect.flatMap(jose, ({ importJWK }) =>
        Effect.promise(async () => {
          const key = await importJWK({ kty: "RSA", n, e }, algorithm)
          if (key instanceof Uint8Array) throw new Error("An RSA key was imported as a secret")
          return key
        })
      )
  )

  return JsonWebTokens.of({
    makeKey: Effect.gen(function* () {
      const { exportPKCS8, generateKeyPair } = yield* jose
      const pem = yield* Effect.promise(async () => {
        const { privateKey } = await generateKeyPair(algorithm, { modulusLength: 2048, extractable: true })
        return exportPKCS8(privateKey)
      })
      return yield* keyPairOf(Redacted.make(pem))
    }),

    sign: Effect.fnUntraced(function* (key, claims) {
      const { SignJWT } = yield* jose
      const privateKey = yield* privateKeyOf(key)
      const token = new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: key.publicKey.kid })
      return yield* Effect.promise(() => token.sign(privateKey))
    }),

    kidOf: (token) =>
      Effect.map(jose, ({ decodeProtectedHeader }) => {
        try {
          const { alg, kid } = decodeProtectedHeader(token)
          return alg === algorithm ? Option.fromUndefinedOr(kid) : Option.none()
        } catch {
          return Option.none()
        }
      }),

    verify: Effect.fnUntraced(function* (token, key, { at, audience, issuer }) {
      if (!isCanonical(token)) return Option.none()
      const { errors, jwtVerify } = yield* jose
      const publicKey = yield* publicKeyOf(key)
      return yield* Effect.promise(() =>
        jwtVerify(token, publicKey, {
          algorithms: [algorithm],
          issuer,
          audience,
          currentDate: DateTime.toDateUtc(at),
          requiredClaims: ["sub", "exp", "iat", "jti", "scope"]
        }).then(
          ({ payload }) => Option.some(payload),
          (error) => {
            if (error instanceof errors.JOSEError) return Option.none()
            throw error
          }
        )
      )
    })
  })
})

export const layer = Layer.effect(JsonWebTokens, make)
