/** What the account rules need from storage. */
import { Context, Data, type DateTime, type Effect, type Option } from "effect"
import type { JsonObject } from "../field/Json.ts"
import type { AccountId, AssetId, InvitationId } from "../shared/Id.ts"
import type { Account, HandleTaken } from "./Account.ts"

export interface NewAccount {
  readonly id: AccountId
  readonly handle: string
  /** Whether people use it or a program does; people, if it is not said. */
  readonly kind?: Account["kind"]
  readonly at: DateTime.Utc
  /** What it signs up with; its creator invited it then. */
  readonly invitationId: InvitationId | undefined
}

/** A change of an account: what is absent stays as it is. */
export interface ProfileChanges {
  readonly handle?: string
  readonly name?: string
  readonly bio?: string
  readonly signature?: string
  readonly interests?: ReadonlyArray<string>
  readonly links?: ReadonlyArray<{ readonly text: string; readonly url: string }>
  readonly meta?: JsonObject
  readonly verifiedStatus?: Account["verified_status"]
}

/** Whose avatar it is, and the file that was uploaded as it, if one was. */
export interface Avatar {
  readonly accountId: AccountId
  readonly assetId: AssetId | undefined
}

/** The invitation that an account would sign up with has been deleted. */
export class InvitationGone extends Data.TaggedError("InvitationGone") {}

export class AccountStore extends Context.Service<
  AccountStore,
  {
    readonly find: (id: AccountId) => Effect.Effect<Option.Option<Account>>
    readonly findIdByHandle: (handle: string) => Effect.Effect<Option.Option<AccountId>>
    readonly findIdByHandleOrId: (handleOrId: string) => Effect.Effect<Option.Option<AccountId>>
    /** Adds an account. The first ever becomes administrator; answers whether it is that. */
    readonly insert: (account: NewAccount) => Effect.Effect<boolean, HandleTaken | InvitationGone>
    /** Whether there is any account. */
    readonly any: Effect.Effect<boolean>
    readonly update: (
      id: AccountId,
      changes: ProfileChanges,
      at: DateTime.Utc
    ) => Effect.Effect<void, HandleTaken>
    /** Makes an account an administrator, or no longer one. Answers whether it was not so before. */
    readonly setAdmin: (id: AccountId, admin: boolean) => Effect.Effect<boolean>
    /** Whether an account that is not suspended is an administrator, as the running transaction sees it. */
    readonly hasAdministrator: Effect.Effect<boolean>
    /** Suspends an account since a time, or reinstates it. */
    readonly setSuspension: (
      id: AccountId,
      since: DateTime.Utc | undefined,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    readonly findAvatar: (handleOrId: string) => Effect.Effect<Option.Option<Avatar>>
    readonly setAvatar: (id: AccountId, asset: AssetId, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/AccountStore") {}
