/** Passkeys as the API speaks of them: the JSON of Web Authentication, and what is wrong with it. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { JsonObject } from "../field/Json.ts"
import * as Text from "../field/Text.ts"
import { Problem } from "../shared/Problem.ts"
import { creation, credential, request } from "./PasskeyExamples.ts"

/** Passkeys of an account: its ways to sign in are listed on one page. */
export const passkeysMax = 20

/** How many minutes people have to confirm on their device. */
export const ceremonyMinutes = 10

/** COSE algorithms (RFC 9053) of which keys are taken, the first preferred: EdDSA, ES256, RS256. */
export const algorithms = [-8, -7, -257] as const

const PublicKeyCredentialType = Schema.Literal("public-key").annotate({
  identifier: "PublicKeyCredentialType",
  description: "The kind of credential, of which there is one (WebAuthn, section 5.8.2)"
})

/** How a passkey can be reached. */
export const Transport = Schema.Literals(["ble", "internal", "nfc", "usb", "cable", "hybrid"])
export type Transport = typeof Transport.Type

const UserVerificationRequirement = Schema.Literals(["discouraged", "preferred", "required"]).annotate({
  identifier: "UserVerificationRequirement",
  description: "Whether the authenticator asks for a finger, a face or a PIN"
})

const Challenge = Schema.String.annotate({ description: "In base64url; what the authenticator signs" })

const PublicKeyCredentialDescriptor = Schema.Struct({
  type: PublicKeyCredentialType,
  id: Schema.String.annotate({ description: "In base64url" }),
  transports: Schema.optionalKey(Schema.Array(Transport)).annotateKey({
    description: "How it can be reached; absent if it is not known"
  })
}).annotate({ identifier: "PublicKeyCredentialDescriptor", description: "Which passkey is meant" })
export interface Descriptor extends Schema.Schema.Type<typeof PublicKeyCredentialDescriptor> {}

const PublicKeyCredentialCreationOptions = Schema.Struct({
  rp: Schema.Struct({ id: Schema.String, name: Schema.String }).annotate({
    identifier: "PublicKeyCredentialRpEntity",
    description: "Where the passkey is valid: the host of the web address and those below it"
  }),
  user: Schema.Struct({ id: Schema.String, name: Schema.String, displayName: Schema.String }).annotate({
    identifier: "PublicKeyCredentialUserEntity",
    description:
      "Whose passkey it is. `id` is random, in base64url, and the same for the passkeys of an account."
  }),
  challenge: Challenge,
  pubKeyCredParams: Schema.Array(
    Schema.Struct({ type: PublicKeyCredentialType, alg: Schema.Int }).annotate({
      identifier: "PublicKeyCredentialParameters",
      description: "A kind of key, by its number in COSE"
    })
  ).annotate({ description: "The preferred one first" }),
  timeout: Schema.optionalKey(Schema.Int).annotateKey({ description: "In milliseconds" }),
  excludeCredentials: Schema.Array(PublicKeyCredentialDescriptor).annotate({
    description: "The passkeys that the account has"
  }),
  authenticatorSelection: Schema.optionalKey(
    Schema.Struct({
      authenticatorAttachment: Schema.optionalKey(
        Schema.Literals(["platform", "cross-platform"]).annotate({
          identifier: "AuthenticatorAttachment",
          description: "The only kind of authenticator; absent, since any kind is welcome"
        })
      ),
      residentKey: Schema.Literals(["discouraged", "preferred", "required"]).annotate({
        identifier: "ResidentKeyRequirement",
        description: "Whether the authenticator remembers whose passkey it is"
      }),
      requireResidentKey: Schema.optionalKey(Schema.Boolean),
      userVerification: Schema.optionalKey(UserVerificationRequirement)
    }).annotate({
      identifier: "AuthenticatorSelectionCriteria",
      description: "What authenticators should do. Any kind is welcome."
    })
  ),
  attestation: Schema.optionalKey(
    Schema.Literals(["direct", "enterprise", "indirect", "none"]).annotate({
      identifier: "AttestationConveyancePreference",
      description: "`none`: the service does not ask which device it is"
    })
  )
}).annotate({
  identifier: "PublicKeyCredentialCreationOptions",
  description: "What to give to `PublicKeyCredential.parseCreationOptionsFromJSON`"
})

/** What a browser needs to make a passkey. */
export const WebAuthnPublicKeyCreationOptions = Schema.Struct({
  publicKey: PublicKeyCredentialCreationOptions
})
  .annotate({
    identifier: "WebAuthnPublicKeyCreationOptions",
    description: "What a browser needs to make a passkey"
  })
  .pipe(withExample(creation))
export interface WebAuthnPublicKeyCreationOptions
  extends Schema.Schema.Type<typeof WebAuthnPublicKeyCreationOptions> {}

/** What a browser needs to sign in with a passkey. */
export const CredentialRequestOptions = Schema.Struct({
  publicKey: Schema.Struct({
    challenge: Challenge,
    timeout: Schema.optionalKey(Schema.Int).annotateKey({ description: "In milliseconds" }),
    rpId: Schema.optionalKey(Schema.String),
    allowCredentials: Schema.optionalKey(Schema.Array(PublicKeyCredentialDescriptor)).annotateKey({
      description: "The passkeys of the account"
    }),
    userVerification: Schema.optionalKey(UserVerificationRequirement)
  }).annotate({
    identifier: "PublicKeyCredentialRequestOptions",
    description: "What to give to `PublicKeyCredential.parseRequestOptionsFromJSON`"
  })
})
  .annotate({
    identifier: "CredentialRequestOptions",
    description: "What a browser needs to sign in with a passkey"
  })
  .pipe(withExample(request))
export interface CredentialRequestOptions extends Schema.Schema.Type<typeof CredentialRequestOptions> {}

const base64Url = Schema.isPattern(/^[A-Za-z0-9_-]*$/u, { expected: "base64url without padding" })

/** Bytes in base64url. The limits are far above what authenticators send. */
const encoded = (max: number, description: string) =>
  Text.verbatim({ max, description: `${description}, in base64url` }).check(base64Url)

// The specification allows 1,023 bytes.
const credentialIdLength = 1364

const AuthenticatorResponse = Schema.Struct({
  clientDataJSON: encoded(8192, "What the browser did, for which challenge and at which origin"),
  attestationObject: Schema.optionalKey(encoded(65_536, "Of a new passkey: its public key")),
  transports: Schema.optionalKey(
    Schema.Array(
      Text.verbatim({ max: 64, description: "A way to reach it; unknown ones are ignored" })
    ).check(Schema.isMaxLength(16))
  ).annotateKey({ description: "Of a new passkey: how it can be reached" }),
  authenticatorData: Schema.optionalKey(encoded(8192, "Signing in: what the authenticator says")),
  signature: Schema.optionalKey(encoded(4096, "Signing in: the signature")),
  userHandle: Schema.optionalKey(
    Schema.NullOr(encoded(128, "Signing in: whose passkey it is, if the authenticator knows"))
  )
}).annotate({ identifier: "AuthenticatorResponse", description: "What an authenticator answered" })

/** What a browser sends of a passkey, a new one or one to sign in with. */
export const PublicKeyCredential = Schema.Struct({
  id: encoded(credentialIdLength, "The id of the passkey"),
  rawId: encoded(credentialIdLength, "The same"),
  response: AuthenticatorResponse,
  type: Text.verbatim({ max: 64, description: "`public-key`" }),
  clientExtensionResults: Schema.optionalKey(JsonObject).annotateKey({ description: "Ignored" }),
  authenticatorAttachment: Schema.optionalKey(
    Schema.NullOr(Text.verbatim({ max: 64, description: "Ignored" }))
  )
})
  .annotate({
    identifier: "PublicKeyCredential",
    description: "What `PublicKeyCredential.toJSON` gives: a new passkey, or one to sign in with"
  })
  .pipe(withExample(credential))
export interface PublicKeyCredential extends Schema.Schema.Type<typeof PublicKeyCredential> {}

export class PasskeyNotSet extends Problem<PasskeyNotSet>()("PasskeyNotSet", {
  status: 404,
  title: "This account has no passkey",
  explanation: "The account signs in by other means. Passkeys are added by those who are signed in."
}) {}

export class PasskeyInvalid extends Problem<PasskeyInvalid>()("PasskeyInvalid", {
  status: 400,
  title: "This passkey cannot be added",
  explanation: `\`reason\` is \`challenge\` if the cookie with the state is missing, is ${ceremonyMinutes} minutes old, was used before, or belongs to another request or session: begin again. It is \`response\` if what the browser sent is malformed, answers another challenge, comes from a page at another origin than those of the instance, or has a key of a kind that was not asked for.`,
  metadata: { reason: Schema.Literals(["challenge", "response"]) }
}) {}

export class PasskeyWrong extends Problem<PasskeyWrong>()("PasskeyWrong", {
  status: 401,
  title: "The passkey was not accepted",
  explanation: `\`reason\` is \`challenge\` if the cookie with the state is missing, is ${ceremonyMinutes} minutes old, was used before, or belongs to another request: begin again. It is \`credential\` if the account has no such passkey, \`response\` if the signature or what was signed is wrong, and \`counter\` if the passkey has counted fewer signatures than before, which means that there is a copy of it.`,
  metadata: { reason: Schema.Literals(["challenge", "credential", "response", "counter"]) }
}) {}

export class PasskeyTaken extends Problem<PasskeyTaken>()("PasskeyTaken", {
  status: 409,
  title: "This passkey has been added before",
  explanation: "A passkey belongs to one account and is added to it once."
}) {}

export class TooManyPasskeys extends Problem<TooManyPasskeys>()("TooManyPasskeys", {
  status: 409,
  title: "The account has too many passkeys",
  explanation: `An account has ${passkeysMax} passkeys at most. Remove one to add another.`,
  metadata: { maximum: Schema.Int }
}) {}
