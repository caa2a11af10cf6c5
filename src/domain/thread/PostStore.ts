/** What the rules of replies and posts need from storage. */
import { Context, Data, type DateTime, type Effect, type Option } from "effect"
import type { NewEvent } from "../event/EventLog.ts"
import type { JsonObject } from "../field/Json.ts"
import type { AccountId, PostId } from "../shared/Id.ts"
import type { Visibility } from "../shared/Visibility.ts"
import type { AskedWithCaller } from "../storage/Transaction.ts"
import type { RichText } from "../text/RichText.ts"
import type { PostPlace } from "./PostLocation.ts"
import type { OmittedPostField } from "./PostOmission.ts"
import type { PostText } from "./PostText.ts"
import type { PostState, ThreadState } from "./PostVisibility.ts"
import type { PostContent, ReplyContent, ReplySelection } from "./ThreadContent.ts"
import type { ThreadSummary } from "./ThreadSummary.ts"

/** A write was decided on a state of its thread that is no longer true. */
export class ThreadChanged extends Data.TaggedError("ThreadChanged") {}

/** A post as something else refers to it. */
export interface PostItem {
  readonly post: PostContent
  /** What it has and was not to be read. */
  readonly omitted: ReadonlyArray<OmittedPostField>
  readonly thread: ThreadState & { readonly slug: string }
}

export interface WantedPost {
  readonly id: PostId
  readonly parts: number
}

/** A reply as an item, with what it answers. */
export interface ReplyItem {
  readonly reply: ReplyContent
  readonly thread: PostItem["thread"]
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

/** A change of a reply: what is absent stays as it is. */
export interface ReplyUpdate {
  readonly text?: PostText
  readonly visibility?: Visibility
  readonly meta?: JsonObject
}

/** A reply that another one answers, and that is still there. */
export interface AnsweredReply {
  readonly id: PostId
  readonly authorId: AccountId
}

export class PostStore extends Context.Service<
  PostStore,
  {
    /** The post unless it or its thread is deleted. */
    readonly find: (id: PostId) => Effect.Effect<Option.Option<PostState>>
    /** What `find` finds, for storage to answer together with who the caller is. */
    readonly ahead: (id: PostId) => AskedWithCaller<Option.Option<PostState>>
    /** The post as it is once no other writer has its thread, which stays locked until the transaction ends. */
    readonly findForUpdate: (id: PostId) => Effect.Effect<Option.Option<PostState>>
    /**
     * Writes a reply and the event that says so, unless the thread is no longer as it was seen. Answers how
     * to read what the reply shows, which is there once the transaction has ended. A reply with links, or to
     * a reply, needs a transaction that has locked the thread, as the other writes do; any other needs none.
     */
    readonly insertReply: (
      reply: ReplyInsert,
      event: NewEvent
    ) => Effect.Effect<Effect.Effect<ReplyContent>, ThreadChanged>
    readonly updateReply: (reply: PostState, changes: ReplyUpdate, at: DateTime.Utc) => Effect.Effect<void>
    /** Marks a reply as told to those whom it concerns. Answers, unless it was told before, which reply it answers. */
    readonly reveal: (reply: PostState) => Effect.Effect<Option.Option<AnsweredReply | undefined>>
    readonly deleteReply: (reply: PostState, at: DateTime.Utc) => Effect.Effect<void>
    /** The place of a post unless it or its thread is deleted. */
    readonly findPlace: (id: PostId) => Effect.Effect<Option.Option<PostPlace>>
    /** How many of these replies of its thread come before a reply. */
    readonly countBefore: (
      reply: PostPlace,
      summary: ThreadSummary,
      replies: ReplySelection
    ) => Effect.Effect<number>
    /** What is written in a post whose thread is locked; replies have no title of their own. */
    readonly findContent: (id: PostId) => Effect.Effect<{
      readonly title: string | undefined
      readonly body: RichText
    }>
    /** Posts by id, in no order, each with so many of its parts, as `postPartNames` orders them; deleted ones are left out. */
    readonly findPosts: (wanted: ReadonlyArray<WantedPost>) => Effect.Effect<ReadonlyArray<PostItem>>
    /** About how many bytes of an answer the parts of posts take. */
    readonly sizesOf: (
      ids: ReadonlyArray<PostId>
    ) => Effect.Effect<ReadonlyMap<PostId, ReadonlyArray<number>>>
    /** Replies by id with what they answer, in no order; deleted ones are left out. */
    readonly findReplies: (ids: ReadonlyArray<PostId>) => Effect.Effect<ReadonlyArray<ReplyItem>>
  }
>()("forum/domain/PostStore") {}
