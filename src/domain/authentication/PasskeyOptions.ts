/** What browsers are asked for. Pure. */
import type { Deployment } from "../settings/Deployment.ts"
import {
  algorithms,
  type CredentialRequestOptions,
  ceremonyMinutes,
  type Descriptor,
  type WebAuthnPublicKeyCreationOptions
} from "./Passkey.ts"
import type { PasskeyChallenge } from "./PasskeyChallenges.ts"
import type { KnownPasskey } from "./PasskeyStore.ts"

const type = "public-key" as const

const timeout = ceremonyMinutes * 60_000

const descriptorOf = ({ credentialId, transports }: KnownPasskey): Descriptor => ({
  type,
  id: credentialId,
  ...(transports.length === 0 ? {} : { transports })
})

/** The host that passkeys are for: that of the web address, as browsers let pages use passkeys of their own host. */
export const rpIdOf = ({ webUrl }: typeof Deployment.Service): string => webUrl.hostname

/** What an answer to a challenge has to be for. */
export const expectationOf = (deployment: typeof Deployment.Service, { challenge }: PasskeyChallenge) => ({
  challenge,
  rpId: rpIdOf(deployment),
  origins: [deployment.webUrl.origin, deployment.publicUrl.origin, ...deployment.origins]
})

/** Whose passkey is to be made, and where it will be valid. */
export interface Creation {
  readonly challenge: string
  readonly rpId: string
  /** What the instance is called. */
  readonly title: string
  /** How the passkey will know the account. */
  readonly userHandle: string
  readonly handle: string
  readonly name: string
  /** The passkeys that the account has. */
  readonly passkeys: ReadonlyArray<KnownPasskey>
}

export const creationOptions = (creation: Creation): WebAuthnPublicKeyCreationOptions => ({
  publicKey: {
    rp: { id: creation.rpId, name: creation.title },
    user: {
      id: creation.userHandle,
      name: creation.handle,
      displayName: creation.name
    },
    challenge: creation.challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type, alg })),
    timeout,
    excludeCredentials: creation.passkeys.map(descriptorOf),
    authenticatorSelection: {
      residentKey: "preferred",
      requireResidentKey: false,
      userVerification: "preferred"
    },
    attestation: "none"
  }
})

export const requestOptions = (
  challenge: string,
  rpId: string,
  passkeys: ReadonlyArray<KnownPasskey>
): CredentialRequestOptions => ({
  publicKey: {
    challenge,
    timeout,
    rpId,
    allowCredentials: passkeys.map(descriptorOf),
    userVerification: "preferred"
  }
})
