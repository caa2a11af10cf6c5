/** What sessions need from storage. Tokens arrive here as SHA-256 hashes only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Actor } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import type { AskedWithCaller } from "../storage/Transaction.ts"
import type { Presented } from "./Session.ts"

export interface NewSession {
  readonly tokenHash: Uint8Array
  readonly accountId: AccountId
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** Begins a session. Of more than an account may have, those end that began longest ago. */
    readonly insert: (session: NewSession) => Effect.Effect<void>
    /**
     * Begins a session for an account whose password has this hash; false if it has another one by now, or none. A change of
     * the password that is under way is waited for.
     */
    readonly insertByPassword: (session: NewSession, passwordHash: string) => Effect.Effect<boolean>
    readonly delete: (tokenHashes: ReadonlyArray<Uint8Array>) => Effect.Effect<void>
    /** Which of these tokens are of sessions at this time. */
    readonly findCurrent: (
      tokenHashes: ReadonlyArray<Uint8Array>,
      at: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<Uint8Array>>
    /** When the session with this token began; none, if there is none. */
    readonly findStart: (tokenHash: Uint8Array) => Effect.Effect<Option.Option<DateTime.Utc>>
    readonly deleteExpired: (at: DateTime.Utc) => Effect.Effect<void>
    readonly deleteAllOf: (accountId: AccountId) => Effect.Effect<void>
    /**
     * The account whose session this is at this time, or without one whose access key or access token, with its
     * permissions as of now; a guest if there is none, or if the grant of the token has ended.
     */
    readonly identify: (presented: Presented, at: DateTime.Utc) => Effect.Effect<Actor>
    /** The callers that `identify` finds for each of these, in their order, in one statement. */
    readonly identifyAll: (
      presented: ReadonlyArray<Presented>,
      at: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<Actor>>
    /** The caller that `identify` finds, with the answer to what is asked for them. */
    readonly identifyWith: <A>(
      presented: Presented,
      at: DateTime.Utc,
      asked: AskedWithCaller<A>
    ) => Effect.Effect<readonly [caller: Actor, answer: A]>
  }
>()("forum/domain/SessionStore") {}
