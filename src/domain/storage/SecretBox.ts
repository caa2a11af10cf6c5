/** Encrypts secrets that are stored and needed again, so that a copy of the storage alone does not tell them. */
import { Context, Data, type Effect, type Redacted } from "effect"

/** The key of the instance cannot be read or made. The message is one line that says what to do. */
export class EncryptionKeyUnusable extends Data.TaggedError("EncryptionKeyUnusable")<{
  readonly message: string
}> {}

/** A stored secret was encrypted with another key or for another purpose. The message is one line that says what to do. */
export class SecretUnreadable extends Data.TaggedError("SecretUnreadable")<{ readonly message: string }> {}

/** Encrypts and decrypts with the key of the instance. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /**
     * Encrypts a secret for a purpose, such as the kind and the id of what it belongs to. It is read again only for the
     * same purpose, so that nobody who can write to the storage can put one secret in the place of another.
     */
    readonly seal: (
      purpose: string,
      secret: Redacted.Redacted<string>
    ) => Effect.Effect<Uint8Array, EncryptionKeyUnusable>
    readonly open: (
      purpose: string,
      sealed: Uint8Array
    ) => Effect.Effect<Redacted.Redacted<string>, EncryptionKeyUnusable | SecretUnreadable>
  }
>()("forum/domain/SecretBox") {}
