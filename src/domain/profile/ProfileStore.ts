/** What the rules of profiles need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ListedAccounts } from "../account/AccountListing.ts"
import type { ProfileReference } from "../account/Profile.ts"
import type { AccountId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { PublicProfile } from "./PublicProfile.ts"

export interface ProfileListPage extends ListExtent {
  readonly profiles: ReadonlyArray<PublicProfile>
}

/** A page of the accounts that follow an account, or that it follows. */
export interface FollowPage extends ListExtent {
  readonly people: ReadonlyArray<ProfileReference>
}

export type FollowDirection = "followers" | "following"

export interface NewFollow {
  readonly id: string
  readonly at: DateTime.Utc
  readonly follower: AccountId
  readonly followed: AccountId
}

export class ProfileStore extends Context.Service<
  ProfileStore,
  {
    /** A page of all profiles. If a text, roles or inviters select them, it lists and counts `selectedMax` at most. */
    readonly list: (filter: ListedAccounts) => Effect.Effect<ProfileListPage, SearchTookTooLong>
    readonly find: (handleOrId: string) => Effect.Effect<Option.Option<PublicProfile>>
    /** The profiles with these ids that exist, in no order. Beyond the room of an answer, long parts are empty. */
    readonly findByIds: (ids: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<PublicProfile>>
    /** A page of the accounts that follow or are followed, newest follow first. None if there is no such account. */
    readonly listFollows: (
      handleOrId: string,
      direction: FollowDirection,
      place: ListPlace
    ) => Effect.Effect<Option.Option<FollowPage>>
    /** Answers whether the account was not followed before. */
    readonly follow: (follow: NewFollow) => Effect.Effect<boolean>
    /** Answers whether the account was followed before. */
    readonly unfollow: (follower: AccountId, followed: AccountId) => Effect.Effect<boolean>
  }
>()("forum/domain/ProfileStore") {}

/** Followers and followed accounts on a page. */
export const pageSize = 50
