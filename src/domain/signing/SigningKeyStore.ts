import { Context, type DateTime, type Effect } from "effect"
import type { PublicKey, ScheduledKey } from "./SigningKey.ts"

/** A key as it is stored: its private half is encrypted. */
export interface StoredKey extends ScheduledKey {
  readonly sealed: Uint8Array
}

/** A key that was made and is not scheduled yet. */
export interface NewKey extends PublicKey {
  readonly sealed: Uint8Array
  readonly generation: number
  readonly signsFrom: DateTime.Utc
  readonly at: DateTime.Utc
}

/** What the rules need of storage about keys. */
export class SigningKeyStore extends Context.Service<
  SigningKeyStore,
  {
    readonly all: Effect.Effect<ReadonlyArray<StoredKey>>
    /** Adds a key; false if there is one of that generation already. */
    readonly insert: (key: NewKey) => Effect.Effect<boolean>
    readonly remove: (kids: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("forum/domain/SigningKeyStore") {}
