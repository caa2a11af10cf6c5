/** What the rules of reactions need from storage. */
import { Context, type DateTime, type Effect } from "effect"
import type { ProfileReference } from "../account/Profile.ts"
import type { AccountId, PostId } from "../shared/Id.ts"
import type { StoredReaction } from "./ReactionRules.ts"

export interface NewStoredReaction extends StoredReaction {
  readonly postId: PostId
  readonly at: DateTime.Utc
}

/** The thread of the post has to be locked while its reactions are read to be changed. */
export class ReactionStore extends Context.Service<
  ReactionStore,
  {
    readonly ofPost: (postId: PostId) => Effect.Effect<ReadonlyArray<StoredReaction>>
    readonly insert: (reaction: NewStoredReaction) => Effect.Effect<void>
    /** Answers the thread of the post. */
    readonly delete: (id: StoredReaction["id"]) => Effect.Effect<PostId>
    /** An account as it is shown beside its reactions. */
    readonly author: (id: AccountId) => Effect.Effect<ProfileReference>
  }
>()("forum/domain/ReactionStore") {}
