/** Which accounts posts mention, and which of them have been told. */
import { Context, type Effect } from "effect"
import type { AccountId, PostId } from "../shared/Id.ts"

/** A post that mentions accounts. */
export interface MentioningPost {
  readonly id: PostId
  readonly threadId: PostId
  readonly authorId: AccountId
}

export interface Mention {
  readonly post: MentioningPost
  readonly mentioned: AccountId
}

export class MentionStore extends Context.Service<
  MentionStore,
  {
    /**
     * Stores whom the text of a post mentions from now on; who does not exist, and the post's author, is
     * passed over. If they are to be told, answers who was not told before.
     */
    readonly write: (
      post: MentioningPost,
      mentioned: ReadonlyArray<AccountId>,
      isTold: boolean
    ) => Effect.Effect<ReadonlyArray<AccountId>>
    /** Notes all of a post, or of the posts of a thread that others may read, as told. Answers who was not told before. */
    readonly tell: (
      of: { readonly postId: PostId } | { readonly threadId: PostId }
    ) => Effect.Effect<ReadonlyArray<Mention>>
  }
>()("forum/domain/MentionStore") {}

/** How many mentions in its replies publishing a thread tells, oldest replies first. Others stay untold. */
export const toldAtOnceMax = 1000
