/** What the rules of likes need from storage. */
import { Context, type DateTime, type Effect } from "effect"
import type { Timestamp } from "../field/Resource.ts"
import type { AccountId, Id, PostId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { PostReader } from "../thread/ThreadRules.ts"
import type { ItemLike } from "./Like.ts"

export interface NewLike {
  readonly id: string
  readonly postId: PostId
  readonly threadId: PostId
  readonly accountId: AccountId
  readonly at: DateTime.Utc
}

/** A like without the post. */
export interface StoredLike {
  readonly id: typeof Id.Type
  readonly at: Timestamp
  readonly postId: PostId
}

export interface LikePage extends ListExtent {
  readonly likes: ReadonlyArray<StoredLike>
}

export class LikeStore extends Context.Service<
  LikeStore,
  {
    /** Whether there was no like of this account before. The thread of the post has to be locked. */
    readonly insert: (like: NewLike) => Effect.Effect<boolean>
    /** Answers the thread of the post if there was one. The thread has to be locked, unless it is deleted. */
    readonly delete: (postId: PostId, accountId: AccountId) => Effect.Effect<PostId | undefined>
    /** The likes of a post that this reader may read, oldest first; `likesMax` of them. */
    readonly ofPost: (postId: PostId, reader: PostReader) => Effect.Effect<ReadonlyArray<ItemLike>>
    /** A page of the newest `likesMax` likes of an account, without those whose posts this reader may not read. */
    readonly ofAccount: (
      accountId: AccountId,
      reader: PostReader,
      place: ListPlace
    ) => Effect.Effect<LikePage>
  }
>()("forum/domain/LikeStore") {}

/** Likes on a page. */
export const pageSize = 50
