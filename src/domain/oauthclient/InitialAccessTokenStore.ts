/** What initial access tokens need from storage. Tokens arrive here as SHA-256 hashes only. */
import { Context, type DateTime, type Effect } from "effect"
import type { AccountId, InitialAccessTokenId } from "../shared/Id.ts"
import type { InitialAccessToken, TooManyInitialAccessTokens } from "./InitialAccessToken.ts"

export interface InitialAccessTokenInsert {
  readonly id: InitialAccessTokenId
  readonly createdBy: AccountId
  readonly tokenHash: Uint8Array
  readonly name: string | undefined
  readonly maxRegistrations: number
  readonly at: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export class InitialAccessTokenStore extends Context.Service<
  InitialAccessTokenStore,
  {
    /** All tokens, newest first. */
    readonly list: Effect.Effect<ReadonlyArray<InitialAccessToken>>
    /** Stores a token. If there are as many as there may be, the first one that stopped working makes room. */
    readonly insert: (
      token: InitialAccessTokenInsert
    ) => Effect.Effect<InitialAccessToken, TooManyInitialAccessTokens>
    /** Revokes a token. Answers whether it had not been revoked before, or nothing if there is none. */
    readonly revoke: (id: InitialAccessTokenId, at: DateTime.Utc) => Effect.Effect<boolean | undefined>
    /** Deletes tokens that had stopped working by then. */
    readonly deleteOver: (at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/InitialAccessTokenStore") {}
