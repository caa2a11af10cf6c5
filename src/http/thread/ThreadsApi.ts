import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CategoryUnknown } from "../../domain/category/Category.ts"
import { LinkInvalid } from "../../domain/link/Link.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { PageQuery } from "../../domain/shared/Page.ts"
import { Visibility } from "../../domain/shared/Visibility.ts"
import { NotYours, textProblems } from "../../domain/thread/Post.ts"
import { NewReply, Reply, ReplyTargetUnknown, ThreadIsReply } from "../../domain/thread/Reply.ts"
import {
  AuthorUnknown,
  NewThread,
  Thread,
  ThreadChanges,
  ThreadHidden,
  ThreadListResult,
  ThreadNotFound
} from "../../domain/thread/Thread.ts"
import { accounts, membersWith, readersWith } from "../shared/Access.ts"
import { conditional, conditionalHeaders } from "../shared/Conditional.ts"
import { Done } from "../shared/Empty.ts"
import { CacheControl } from "../shared/Headers.ts"
import { operation } from "../shared/Operation.ts"
import { repliers, threadReaders } from "./ThreadAccess.ts"

const params = {
  thread_mark: Schema.String.annotate({
    description: "The id or the slug of the thread. Of a slug, only the id at its beginning counts."
  })
}

const page = { page: Schema.optionalKey(PageQuery) }

export class ThreadsApi extends HttpApiGroup.make("threads")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...page,
        q: Schema.optionalKey(
          Schema.String.annotate({
            description: "Text that the title, the slug or the body contains; letter case does not matter"
          })
        ),
        author: Schema.optionalKey(
          Schema.String.annotate({ description: "The handle or the id of the author" })
        ),
        visibility: Schema.optionalKey(
          Schema.Array(Visibility).annotate({
            description:
              "Which threads to list, of those that the caller may see. Your drafts need `author` as well."
          })
        ),
        tags: Schema.optionalKey(
          Schema.Array(Schema.String).annotate({ description: "Tag ids: threads with any of them" })
        ),
        categories: Schema.optionalKey(
          Schema.Array(Schema.String).annotate({
            description:
              "Category slugs: threads in any of them. The value `null` means threads without a category."
          })
        ),
        ignore_pinned: Schema.optionalKey(
          Schema.Boolean.annotate({ description: "Order by last activity only" })
        )
      },
      success: HttpApiSchema.WithHeaders(ThreadListResult, { "cache-control": CacheControl }),
      error: AuthorUnknown
    }).pipe(
      operation({
        id: "ThreadList",
        summary: "List threads",
        description: "Pinned threads first, then by last activity, newest first; 50 on a page.",
        access: readersWith("READ_PUBLISHED_THREADS")
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewThread,
      success: Thread,
      error: [CategoryUnknown, LinkInvalid, ...textProblems, ThreadNotFound]
    }).pipe(
      operation({
        id: "ThreadCreate",
        summary: "Create a thread",
        description: "A draft unless `visibility` has another value.",
        access: membersWith("CREATE_POST")
      })
    ),
    HttpApiEndpoint.get("get", "/:thread_mark", {
      params,
      query: page,
      headers: conditionalHeaders,
      success: conditional(Thread),
      error: [ThreadNotFound, ThreadHidden]
    }).pipe(
      operation({
        id: "ThreadGet",
        summary: "Read a thread and a page of its replies",
        description: "Replies are oldest first, 50 on a page.",
        access: threadReaders
      })
    ),
    HttpApiEndpoint.patch("update", "/:thread_mark", {
      params,
      payload: ThreadChanges,
      success: Thread,
      error: [ThreadNotFound, NotYours, Forbidden, CategoryUnknown, LinkInvalid, ...textProblems]
    }).pipe(
      operation({
        id: "ThreadUpdate",
        summary: "Change a thread",
        description: "Its author and moderators may. The slug never changes.",
        access: accounts
      })
    ),
    HttpApiEndpoint.delete("delete", "/:thread_mark", {
      params,
      success: Done,
      error: [ThreadNotFound, NotYours]
    }).pipe(
      operation({
        id: "ThreadDelete",
        summary: "Delete a thread and its replies",
        description: "Its author and moderators may.",
        access: accounts
      })
    )
  )
  .prefix("/threads")
  .annotateMerge(OpenApi.annotations({ title: "threads", description: "Discussions" })) {}

export class RepliesApi extends HttpApiGroup.make("replies")
  .add(
    HttpApiEndpoint.post("reply", "/:thread_mark/replies", {
      params,
      payload: NewReply,
      success: Reply,
      error: [ThreadNotFound, ThreadHidden, ThreadIsReply, ReplyTargetUnknown, ...textProblems]
    }).pipe(
      operation({
        id: "ReplyCreate",
        summary: "Reply in a thread",
        description: "A reply to the thread, or with `reply_to` to one of its posts.",
        access: repliers
      })
    )
  )
  .prefix("/threads")
  .annotateMerge(OpenApi.annotations({ title: "replies", description: "Replies in threads" })) {}
