/** What access keys need from storage. Tokens arrive here as SHA-256 hashes only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Timestamp } from "../field/Resource.ts"
import type { AccessKeyId, AccountId } from "../shared/Id.ts"
import type { AccessKey, OwnedAccessKey, TooManyAccessKeys } from "./AccessKey.ts"

export interface AccessKeyInsert {
  readonly id: AccessKeyId
  readonly accountId: AccountId
  readonly tokenHash: Uint8Array
  readonly name: string
  readonly at: DateTime.Utc
  readonly expiresAt: Timestamp | undefined
}

export class AccessKeyStore extends Context.Service<
  AccessKeyStore,
  {
    /** The keys of an account, newest first. */
    readonly listOf: (account: AccountId) => Effect.Effect<ReadonlyArray<AccessKey>>
    /** The keys of all accounts that are older than one, newest first, as many as an answer shows. */
    readonly list: (before: AccessKeyId | undefined) => Effect.Effect<ReadonlyArray<OwnedAccessKey>>
    /** Stores a key. If the account has as many as it may, the first one that stopped working makes room. */
    readonly insert: (key: AccessKeyInsert) => Effect.Effect<AccessKey, TooManyAccessKeys>
    /** The owner of a key, which nobody else changes until the transaction ends. */
    readonly findOwnerForUpdate: (id: AccessKeyId) => Effect.Effect<Option.Option<AccountId>>
    /** Answers whether the key had not been revoked before. */
    readonly revoke: (id: AccessKeyId, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Revokes all keys of an account, but one if it is said, and answers those that had not been revoked before. */
    readonly revokeAllOf: (
      account: AccountId,
      at: DateTime.Utc,
      but?: AccessKeyId
    ) => Effect.Effect<ReadonlyArray<AccessKeyId>>
  }
>()("forum/domain/AccessKeyStore") {}
