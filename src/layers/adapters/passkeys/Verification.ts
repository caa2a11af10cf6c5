/** Checks what authenticators say with the package @simplewebauthn/server. Runs on a thread: see thread.ts. */
import { createPublicKey } from "node:crypto"
import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server"
import { decodeAttestationObject, isoBase64URL, isoCBOR } from "@simplewebauthn/server/helpers"
import type { PublicKeyCredential } from "../../../domain/authentication/Passkey.ts"
import type { Expectation } from "../../../domain/authentication/PasskeyVerifier.ts"

/** What is to be verified: the credential that an authenticator answered for a new passkey, or to sign in with one. */
export type Question =
  | {
      readonly credential: PublicKeyCredential
      readonly expected: Expectation
      readonly algorithms: ReadonlyArray<number>
    }
  | {
      readonly credential: PublicKeyCredential
      readonly expected: Expectation
      readonly publicKey: Uint8Array
    }

export interface Verified {
  /** The id of the credential, in base64url. */
  readonly id: string
  readonly publicKey: Uint8Array
  readonly signatures: number
  readonly aaguid: string
}

const type = "public-key" as const

const expectedOf = ({ challenge, origins, rpId }: Expectation) => ({
  expectedChallenge: challenge,
  expectedOrigin: [...origins],
  expectedRPID: rpId,
  requireUserVerification: false
})

/**
 * An attestation object without its statement, which says which device it is from. Nobody asked for that, it proves
 * nothing without certificates to compare with, and to check it the package would follow addresses that certificates
 * name.
 */
const withoutStatement = (encoded: string) => {
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(encoded)).get("authData")
  if (!(authData instanceof Uint8Array)) throw new Error("There is no authenticator data")
  const bare = new Map<string, string | Uint8Array | Map<string, string>>([
    ["fmt", "none"],
    ["attStmt", new Map<string, string>()],
    ["authData", authData]
  ])
  return isoBase64URL.fromBuffer(isoCBOR.encode(bare))
}

const modulusBits = { minimum: 2048, maximum: 4096 }

/**
 * Fails if a public key cannot be used. The package does not check that: with a key that is cut off, its owner could
 * never sign in.
 */
const checkKey = (publicKey: Uint8Array) => {
  const cose = isoCBOR.decodeFirst<Map<number, unknown>>(new Uint8Array(publicKey))
  const text = (label: number) => {
    const value = cose.get(label)
    return value instanceof Uint8Array ? isoBase64URL.fromBuffer(new Uint8Array(value)) : ""
  }
  const forms = new Map([
    ["1 -8 6", { kty: "OKP", crv: "Ed25519", x: text(-2) }],
    ["2 -7 1", { kty: "EC", crv: "P-256", x: text(-2), y: text(-3) }],
    ["3 -257 ", { kty: "RSA", n: text(-1), e: text(-2) }]
  ])
  const [type, algorithm, curve] = [cose.get(1), cose.get(3), cose.get(-1)]
  const key = forms.get(`${type} ${algorithm} ${type === 3 ? "" : curve}`)
  if (key === undefined) throw new Error("The parts of the key do not fit together")
  const { modulusLength } = createPublicKey({ key, format: "jwk" }).asymmetricKeyDetails ?? {}
  const fits =
    modulusLength === undefined ||
    (modulusLength >= modulusBits.minimum && modulusLength <= modulusBits.maximum)
  if (!fits) throw new Error(`The key has ${modulusLength} bits`)
}

const verifyCreation = async (
  { id, rawId, response }: PublicKeyCredential,
  expected: Expectation,
  algorithms: ReadonlyArray<number>
): Promise<Verified> => {
  const { attestationObject = "", clientDataJSON } = response
  const { registrationInfo } = await verifyRegistrationResponse({
    response: {
      id,
      rawId,
      type,
      response: { clientDataJSON, attestationObject: withoutStatement(attestationObject) },
      clientExtensionResults: {}
    },
    ...expectedOf(expected),
    supportedAlgorithmIDs: [...algorithms]
  })
  if (registrationInfo === undefined) throw new Error("The answer does not prove a passkey")
  const { aaguid, credential: made } = registrationInfo
  checkKey(made.publicKey)
  return { id: made.id, publicKey: made.publicKey, signatures: made.counter, aaguid }
}

const verifyAssertion = async (
  { id, rawId, response }: PublicKeyCredential,
  expected: Expectation,
  publicKey: Uint8Array
): Promise<Verified> => {
  const { authenticatorData = "", clientDataJSON, signature = "" } = response
  const { authenticationInfo, verified } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId,
      type,
      response: { authenticatorData, clientDataJSON, signature },
      clientExtensionResults: {}
    },
    ...expectedOf(expected),
    // Whether the counter has advanced is decided where it is stored, also between two answers at the same time.
    credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 }
  })
  if (!verified) throw new Error("The signature is wrong")
  return { id, publicKey, signatures: authenticationInfo.newCounter, aaguid: "" }
}

/** Answers the passkey that a credential proves; fails if it proves none. */
export const verify = (question: Question): Promise<Verified> => {
  const { credential, expected } = question
  if (credential.type !== type) throw new Error(`The credential is a ${credential.type}`)
  return "algorithms" in question
    ? verifyCreation(credential, expected, question.algorithms)
    : verifyAssertion(credential, expected, question.publicKey)
}
