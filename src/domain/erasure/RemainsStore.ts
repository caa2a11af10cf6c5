/** What is left of an account, and how it goes: in small steps, each of which can be done again. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, AssetId, NodeId, PostId } from "../shared/Id.ts"

/** Whose remains they are, and what becomes of them. */
export interface Remains {
  readonly accountId: AccountId
  readonly keepPosts: boolean
  /** What is known of it beside its id; nothing, once it is gone. */
  readonly known: Option.Option<KnownAccount>
}

export interface KnownAccount {
  readonly handle: string
  /** Its email addresses, and those to which mails went in its name and that nobody else has. */
  readonly addresses: ReadonlyArray<string>
}

/** A step answers whether there may be more of the same. */
export interface Sweep {
  readonly name: string
  readonly step: (remains: Remains) => Effect.Effect<boolean>
}

export class RemainsStore extends Context.Service<
  RemainsStore,
  {
    readonly findKnown: (account: AccountId) => Effect.Effect<Option.Option<KnownAccount>>
    /** Makes the account in whose name things stay, unless it is there. */
    readonly makeNobody: (at: DateTime.Utc) => Effect.Effect<void>
    /** Some posts of an account that others cannot read. */
    readonly unreadablePosts: (account: AccountId) => Effect.Effect<ReadonlyArray<PostId>>
    /** Some pages of an account that others cannot read. */
    readonly unreadableNodes: (account: AccountId) => Effect.Effect<ReadonlyArray<NodeId>>
    /** What goes, or becomes nobody's, in this order. They find as well what names an account that is gone. */
    readonly sweeps: ReadonlyArray<Sweep>
    /** Some files of an account that nothing shows any more. */
    readonly unusedAssets: (account: AccountId) => Effect.Effect<ReadonlyArray<AssetId>>
    /** Removes files from the list of all, as part of a transaction that leaves their bytes to be removed. */
    readonly deleteAssets: (ids: ReadonlyArray<AssetId>) => Effect.Effect<void>
    /** Removes the account, and keeps its handle from others until then. */
    readonly deleteAccount: (account: AccountId, retiredUntil: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/RemainsStore") {}
