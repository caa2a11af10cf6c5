/** What idempotency keys need from storage. */
import { Context, type DateTime, type Effect } from "effect"
import type { AccountId } from "../shared/Id.ts"
import type { KeptAnswer } from "./IdempotencyKey.ts"
import type { Found } from "./IdempotencyRules.ts"

/** A request that wants its key for itself. */
export interface Claim {
  readonly accountId: AccountId
  readonly key: string
  /** The SHA-256 of what makes it this request. */
  readonly fingerprint: Uint8Array
  /** Random: who has lost the key to a later request keeps nothing. */
  readonly token: Uint8Array
  readonly at: DateTime.Utc
}

/** What came of a claim. */
export type Claimed =
  | { readonly _tag: "Granted" }
  | { readonly _tag: "Taken"; readonly found: Found | undefined }
  | { readonly _tag: "Full" }

export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /**
     * Takes a key, in one statement that is committed at once: a new one, one that is older than `expired`, and one of the
     * same request that nobody handles any more, as its instance is gone or it was claimed before `abandoned`.
     */
    readonly claim: (
      claim: Claim,
      limits: { readonly abandoned: DateTime.Utc; readonly expired: DateTime.Utc }
    ) => Effect.Effect<Claimed>
    /**
     * Keeps the answer, or that a large one was given if there is no room for it; false if the claim was lost. It is a part
     * of the transaction that runs.
     */
    readonly keep: (claim: Claim, answer: KeptAnswer, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Gives a key back that has no answer, as if it had not been used. */
    readonly release: (claim: Claim) => Effect.Effect<void>
    /** Forgets some of the keys that were claimed before a time. Answers whether there may be more. */
    readonly forget: (before: DateTime.Utc) => Effect.Effect<boolean>
  }
>()("forum/domain/IdempotencyStore") {}
