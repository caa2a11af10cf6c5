/** What authenticators say, checked by the package @simplewebauthn/server. */
import { createPublicKey } from "node:crypto"
import { Effect, Layer, Schema } from "effect"
import { algorithms, type PublicKeyCredential, Transport } from "../domain/authentication/Passkey.ts"
import {
  type Expectation,
  PasskeyVerifier,
  ResponseRefused
} from "../domain/authentication/PasskeyVerifier.ts"

/** It has hundreds of modules, and nobody is served while they are loaded. */
const load = async () => {
  const [
    { verifyAuthenticationResponse, verifyRegistrationResponse },
    { decodeAttestationObject, isoBase64URL, isoCBOR }
  ] = await Promise.all([import("@simplewebauthn/server"), import("@simplewebauthn/server/helpers")])
  return {
    decodeAttestationObject,
    isoBase64URL,
    isoCBOR,
    verifyAuthenticationResponse,
    verifyRegistrationResponse
  }
}

type WebAuthn = Awaited<ReturnType<typeof load>>

const type = "public-key" as const

const isTransport = Schema.is(Transport)

const expectedOf = ({ challenge, origins, rpId }: Expectation) => ({
  expectedChallenge: challenge,
  expectedOrigin: [...origins],
  expectedRPID: rpId,
  requireUserVerification: false
})

const checkType = ({ type: given }: PublicKeyCredential) => {
  if (given !== type) throw new Error(`The credential is a ${given}`)
}

/**
 * The same without what says which device it is. Nobody asked for that, it proves nothing without certificates to
 * compare with, and to check it the package would follow addresses that certificates name.
 */
const withoutStatement = ({ decodeAttestationObject, isoBase64URL, isoCBOR }: WebAuthn, encoded: string) => {
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

/** The package keeps keys as they are sent, so that one that is cut off would never let its owner in. */
const checkKey = ({ isoBase64URL, isoCBOR }: WebAuthn, publicKey: Uint8Array) => {
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

const verifyCreation = async (webAuthn: WebAuthn, credential: PublicKeyCredential, expected: Expectation) => {
  checkType(credential)
  const { attestationObject = "", clientDataJSON, transports = [] } = credential.response
  const response = { clientDataJSON, attestationObject: withoutStatement(webAuthn, attestationObject) }
  const { id, rawId } = credential
  const { registrationInfo } = await webAuthn.verifyRegistrationResponse({
    response: { id, rawId, type, response, clientExtensionResults: {} },
    ...expectedOf(expected),
    supportedAlgorithmIDs: [...algorithms]
  })
  if (registrationInfo === undefined) throw new Error("The answer does not prove a passkey")
  const { aaguid, credential: made } = registrationInfo
  checkKey(webAuthn, made.publicKey)
  return {
    id: made.id,
    publicKey: made.publicKey,
    signatures: made.counter,
    transports: [...new Set(transports.filter(isTransport))],
    aaguid
  }
}

const verifyAssertion = async (
  webAuthn: WebAuthn,
  credential: PublicKeyCredential,
  publicKey: Uint8Array,
  expected: Expectation
) => {
  checkType(credential)
  const { id, rawId } = credential
  const { authenticatorData = "", clientDataJSON, signature = "" } = credential.response
  const { authenticationInfo, verified } = await webAuthn.verifyAuthenticationResponse({
    response: {
      id,
      rawId,
      type,
      response: { authenticatorData, clientDataJSON, signature },
      clientExtensionResults: {}
    },
    ...expectedOf(expected),
    // Whether it has counted on is decided where the count is stored, also between two answers at the same time.
    credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 }
  })
  if (!verified) throw new Error("The signature is wrong")
  return authenticationInfo.newCounter
}

/** Loads what passkeys need now, instead of with the first one. */
export const loaded = Layer.effectDiscard(Effect.promise(load))

export const layer = Layer.sync(PasskeyVerifier, () => {
  let loading: Promise<WebAuthn> | undefined
  const verifying = <A>(verify: (webAuthn: WebAuthn) => Promise<A>) =>
    Effect.flatMap(
      Effect.promise(() => {
        loading ??= load()
        return loading
      }),
      (webAuthn) =>
        Effect.tryPromise({ try: () => verify(webAuthn), catch: (why) => new ResponseRefused({ why }) })
    )
  return PasskeyVerifier.of({
    verifyCreation: (credential, expected) =>
      verifying((webAuthn) => verifyCreation(webAuthn, credential, expected)),
    verifyAssertion: (credential, publicKey, expected) =>
      verifying((webAuthn) => verifyAssertion(webAuthn, credential, publicKey, expected))
  })
})
