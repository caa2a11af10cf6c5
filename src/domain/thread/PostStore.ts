/** What the rules of replies and posts need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, PostId } from "../shared/Id.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { Target, Visibility } from "../shared/Visibility.ts"
import type { PostText } from "./PostText.ts"
import type { PostContent, ReplyContent } from "./ThreadContent.ts"

/** A thread's opening post or a reply, with the thread it is in. */
export interface PostState extends Target {
  readonly id: PostId
  readonly thread: Target & { readonly id: PostId }
}

/** A post as something else refers to it. */
export interface PostItem {
  readonly post: PostContent
  readonly thread: Target & { readonly id: PostId; readonly slug: string }
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
export interface ReplyUpdate {
  readonly text?: PostText
  readonly visibility?: Visibility
  readonly meta?: JsonObject
}

export class PostStore extends Context.Service<
  PostStore,
  {
    /** The post unless it or its thread is deleted. */
    readonly find: (id: PostId) => Effect.Effect<Option.Option<PostState>>
    /** The same as it is once no other writer has its thread, which stays locked until the transaction ends. */
    readonly findForUpdate: (id: PostId) => Effect.Effect<Option.Option<PostState>>
    /**
     * The thread must be locked, as for the other writes. Answers how to read what the reply shows, which
     * is there once the transaction has ended.
     */
    readonly insertReply: (reply: ReplyInsert) => Effect.Effect<Effect.Effect<ReplyContent>>
    readonly updateReply: (reply: PostState, changes: ReplyUpdate, at: DateTime.Utc) => Effect.Effect<void>
    readonly deleteReply: (reply: PostState, at: DateTime.Utc) => Effect.Effect<void>
    /** Posts by id, those that are left, in no order. */
    readonly findPosts: (ids: ReadonlyArray<PostId>) => Effect.Effect<ReadonlyArray<PostItem>>
  }
>()("forum/domain/PostStore") {}
