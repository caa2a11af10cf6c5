/** Speaks to other services by the protocol of each, to learn who signs in there. */
import { Context, Data, type Effect } from "effect"
import type { ProviderElsewhere } from "../authentication/ProvidersElsewhere.ts"

/** What is random of one sign-in elsewhere, in base64url. */
export interface Proofs {
  /** Comes back with the browser. */
  readonly state: string
  /** Comes back in what the provider signs, where it signs anything. */
  readonly nonce: string
  /** The secret of PKCE (RFC 7636), of which the provider is first told a digest. */
  readonly verifier: string
}

/** Somebody as a provider knows them. */
export interface Identity {
  /** Whoever answers for the subject. */
  readonly issuer: string
  /** What never changes, and never becomes another person's. */
  readonly subject: string
  /** What the person is called, the name that is most like a handle first; may be empty. */
  readonly names: ReadonlyArray<string>
  /** An address of which the provider has verified that it is the person's. */
  readonly verifiedEmail: string | undefined
}

/** The provider does not stand by the code, or what it says is not what it was asked for. */
export class AnswerRefused extends Data.TaggedError("AnswerRefused")<{ readonly why: unknown }> {}

/** The provider cannot be reached, or does not speak the protocol. */
export class ProviderFailed extends Data.TaggedError("ProviderFailed")<{ readonly why: unknown }> {}

export class IdentityProviders extends Context.Service<
  IdentityProviders,
  {
    /** Where the browser goes to sign in, from where it comes back to this page of ours. */
    readonly addressOf: (
      provider: ProviderElsewhere,
      page: string,
      proofs: Proofs
    ) => Effect.Effect<string, ProviderFailed>
    /** Who the code that came back is of. What the provider gives for it is not kept. */
    readonly identify: (
      provider: ProviderElsewhere,
      page: string,
      proofs: Proofs,
      code: string
    ) => Effect.Effect<Identity, AnswerRefused | ProviderFailed>
  }
>()("forum/domain/IdentityProviders") {}
