/** Checks what authenticators say, by the rules of Web Authentication. */
import { Context, Data, Effect } from "effect"
import type { PublicKeyCredential, Transport } from "./Passkey.ts"

/** What an answer is held against: a page at one of these origins asked this question for this host. */
export interface Expectation {
  readonly challenge: string
  readonly rpId: string
  readonly origins: ReadonlyArray<string>
}

/** What a new passkey is, once its answer has proved right. */
export interface NewCredential {
  /** The id of the credential, in base64url. */
  readonly id: string
  /** The public key in the form of COSE (RFC 9052). */
  readonly publicKey: Uint8Array
  /** How many signatures it says it made; 0 if it does not count them. */
  readonly signatures: number
  readonly transports: ReadonlyArray<Transport>
  /** Which kind of authenticator it says it is. */
  readonly aaguid: string
}

/** The answer is malformed or does not answer the question. */
export class ResponseRefused extends Data.TaggedError("ResponseRefused")<{ readonly why: unknown }> {}

export class PasskeyVerifier extends Context.Service<
  PasskeyVerifier,
  {
    readonly verifyCreation: (
      credential: PublicKeyCredential,
      expected: Expectation
    ) => Effect.Effect<NewCredential, ResponseRefused>
    /** How many signatures the passkey with this key says it made. */
    readonly verifyAssertion: (
      credential: PublicKeyCredential,
      publicKey: Uint8Array,
      expected: Expectation
    ) => Effect.Effect<number, ResponseRefused>
  }
>()("forum/domain/PasskeyVerifier") {}

/** Says in the log why an answer was refused, which is of use to those who write clients, and fails with the problem. */
export const refused = <P>(why: unknown, problem: P) =>
  Effect.andThen(Effect.logDebug("The answer of an authenticator was refused", why), Effect.fail(problem))
