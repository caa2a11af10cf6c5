/** Who asked for own data, and how far it is: a queue that outlives the process. */
import { Context, type DateTime, type Effect, Layer, type Option, Queue } from "effect"
import type { FileLocation } from "../asset/AssetBytes.ts"
import type { AccountId } from "../shared/Id.ts"

/** An archive that is there. */
export interface OwnDataArchive extends FileLocation {
  readonly size: number
  readonly madeAt: DateTime.Utc
}

export interface StoredOwnData {
  readonly requestedAt: DateTime.Utc
  /** The session that asked for it, as the SHA-256 of its token. */
  readonly session: Uint8Array
  /** How often it was asked for on that day. */
  readonly asked: number
  /** Whether it is still to be made. */
  readonly isWaiting: boolean
  readonly archive: OwnDataArchive | undefined
  /** Until when it is kept, unless it is still to be made. */
  readonly expiresAt: DateTime.Utc | undefined
}

export interface NewOwnData {
  readonly accountId: AccountId
  readonly at: DateTime.Utc
  readonly session: Uint8Array
  readonly asked: number
}

/** What somebody makes. */
export interface TakenOwnData {
  readonly accountId: AccountId
  /** How often it was tried, this time included. */
  readonly tries: number
  /** A number that differs each time somebody takes it. */
  readonly turn: number
}

/** Wakes who makes archives in this process. */
export class OwnDataSignal extends Context.Service<OwnDataSignal, Queue.Queue<void>>()(
  "forum/domain/OwnDataSignal"
) {
  static readonly layer = Layer.effect(OwnDataSignal, Queue.sliding<void>(1))
}

export class OwnDataStore extends Context.Service<
  OwnDataStore,
  {
    readonly find: (account: AccountId) => Effect.Effect<Option.Option<StoredOwnData>>
    /** What was asked for last, as part of the running transaction, in which nobody else asks for the same account. */
    readonly lock: (account: AccountId) => Effect.Effect<Option.Option<StoredOwnData>>
    /** Leaves it to be made, in place of what was asked for before; the archive of that goes. */
    readonly request: (asked: NewOwnData) => Effect.Effect<void>
    /** Takes what has waited for the longest time. Unless it is kept or ended, it is due again at `until`. */
    readonly take: (at: DateTime.Utc, until: DateTime.Utc) => Effect.Effect<Option.Option<TakenOwnData>>
    /** Goes on to make it; answers whether nobody else does by now, and it is still wanted. */
    readonly keep: (taken: TakenOwnData, until: DateTime.Utc) => Effect.Effect<boolean>
    /** Leaves it to whoever takes it next, as if it had not been tried this time, unless somebody else has taken it. */
    readonly giveBack: (taken: TakenOwnData, at: DateTime.Utc) => Effect.Effect<void>
    /** Says where the archive is, unless somebody else has taken it. Answers whether that is stored. */
    readonly finish: (
      taken: TakenOwnData,
      archive: OwnDataArchive,
      expiresAt: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** Gives up, unless somebody else has taken it. */
    readonly giveUp: (taken: TakenOwnData, expiresAt: DateTime.Utc) => Effect.Effect<void>
    /** Forgets what is not kept any more; the archives go as well. */
    readonly deleteExpired: (at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/OwnDataStore") {}
