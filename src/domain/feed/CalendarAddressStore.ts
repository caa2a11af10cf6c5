/** What secret addresses of calendars need from storage. Keys arrive here as SHA-256 hashes only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountActor } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"

export class CalendarAddressStore extends Context.Service<
  CalendarAddressStore,
  {
    /** Makes this the one key of an account, which replaces the one before. */
    readonly replace: (account: AccountId, keyHash: Uint8Array, at: DateTime.Utc) => Effect.Effect<void>
    /** The account of a key with what it may do now, unless it is suspended. */
    readonly findReader: (keyHash: Uint8Array) => Effect.Effect<Option.Option<AccountActor>>
  }
>()("forum/domain/CalendarAddressStore") {}
