/** Checks passwords against hashes by bcrypt, which other programs made. */
import { Context, type Effect } from "effect"

export class Bcrypt extends Context.Service<
  Bcrypt,
  {
    /** Whether a password made a hash in the form `$2b$<cost>$<salt and hash>`. Nothing else waits for it. */
    readonly verify: (password: string, hash: string) => Effect.Effect<boolean>
  }
>()("forum/domain/Bcrypt") {}
