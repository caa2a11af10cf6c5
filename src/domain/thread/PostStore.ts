/** What the rules of replies and posts need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Actor } from "../shared/Actor.ts"
import type { AccountId, PostId } from "../shared/Id.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { Visibility } from "../shared/Visibility.ts"
import type { Post } from "./Post.ts"
import type { PostText } from "./PostText.ts"
import type { Reply } from "./Reply.ts"
import type { Target } from "./ThreadRules.ts"

/** A thread's opening post or a reply, with the thread it is in. */
export interface PostState extends Target {
  readonly id: PostId
  readonly thread: Target & { readonly id: PostId }
}

export interface ReplyInsert {
  readonly id: PostId
  readonly at: DateTime.Utc
  readonly threadId: PostId
  readonly authorId: AccountId
  readonly replyTo: PostId | undefined
  readonly text: PostText
  readonly visibility: Visibility
  readonly meta: JsonObject
}

/** Absent keys stay as they are. */
export interface PostUpdate {
  readonly text?: PostText
  readonly visibility?: Visibility
  readonly meta?: JsonObject
}

export class PostStore extends Context.Service<
  PostStore,
  {
    /** The post unless it or its thread is deleted. */
    readonly find: (id: string) => Effect.Effect<Option.Option<PostState>>
    /** The same, its thread held against other writers until the transaction ends. */
    readonly lock: (id: string) => Effect.Effect<Option.Option<PostState>>
    readonly insertReply: (reply: ReplyInsert) => Effect.Effect<void>
    readonly updateReply: (reply: PostState, changes: PostUpdate, at: DateTime.Utc) => Effect.Effect<void>
    readonly deleteReply: (reply: PostState, at: DateTime.Utc) => Effect.Effect<void>
    readonly reply: (id: PostId, viewer: Actor) => Effect.Effect<Option.Option<Reply>>
    readonly post: (id: PostId, viewer: Actor) => Effect.Effect<Option.Option<Post>>
  }
>()("forum/domain/PostStore") {}
