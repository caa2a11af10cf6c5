/** What the rules of replies and posts need from storage. */
import { Context, Data, type DateTime, type Effect, type Option } from "effect"
import type { DomainEvent } from "../event/DomainEvent.ts"
import type { Companion } from "../shared/Companion.ts"
import type { AccountId, PostId } from "../shared/Id.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { RichText } from "../shared/RichText.ts"
import type { Visibility } from "../shared/Visibility.ts"
import type { PostState, ThreadState } from "./PostState.ts"
import type { PostText } from "./PostText.ts"
import type { PostContent, ReplyContent } from "./ThreadContent.ts"

/** A write was decided on a state of its thread that is no longer true. */
export class ThreadChanged extends Data.TaggedError("ThreadChanged") {}

/** A post as something else refers to it. */
export interface PostItem {
  readonly post: PostContent
  readonly thread: ThreadState & { readonly slug: string }
}

/** The same of a reply. */
export interface ReplyItem {
  readonly reply: ReplyContent
  readonly thread: PostItem["thread"]
}

/** How many bytes a post takes in an answer, about, and the post that it replies to. */
export interface PostSize {
  readonly own: number
  readonly quoted: number
}

export interface ReplyInsert {
  readonly id: PostId
  readonly at: DateTime.Utc
  readonly thread: ThreadState
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
    /** The same, for storage to answer together with who the caller is. */
    readonly ahead: (id: PostId) => Companion<Option.Option<PostState>>
    /** The same as it is once no other writer has its thread, which stays locked until the transaction ends. */
    readonly findForUpdate: (id: PostId) => Effect.Effect<Option.Option<PostState>>
    /**
     * Writes a reply and the event that says so, unless the thread is no longer as it was seen. Answers how
     * to read what the reply shows, which is there once the transaction has ended. A reply with links, or to
     * a reply, needs a transaction that has locked the thread, as the other writes do; any other needs none.
     */
    readonly insertReply: (
      reply: ReplyInsert,
      event: DomainEvent
    ) => Effect.Effect<Effect.Effect<ReplyContent>, ThreadChanged>
    readonly updateReply: (reply: PostState, changes: ReplyUpdate, at: DateTime.Utc) => Effect.Effect<void>
    readonly deleteReply: (reply: PostState, at: DateTime.Utc) => Effect.Effect<void>
    /** The body of a post whose thread is locked. */
    readonly findBody: (id: PostId) => Effect.Effect<RichText>
    /** Posts by id, those that are left, in no order; `whole` names those whose text is not to be shortened. */
    readonly findPosts: (
      ids: ReadonlyArray<PostId>,
      whole: ReadonlyArray<PostId>
    ) => Effect.Effect<ReadonlyArray<PostItem>>
    /** Replies likewise; a short one shows a short quotation. */
    readonly findReplies: (
      ids: ReadonlyArray<PostId>,
      whole: ReadonlyArray<PostId>
    ) => Effect.Effect<ReadonlyArray<ReplyItem>>
    readonly sizesOf: (ids: ReadonlyArray<PostId>) => Effect.Effect<ReadonlyMap<PostId, PostSize>>
  }
>()("forum/domain/PostStore") {}
