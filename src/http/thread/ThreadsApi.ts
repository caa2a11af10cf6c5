import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CategoryUnknown } from "../../domain/category/Category.ts"
import * as Text from "../../domain/field/Text.ts"
import { LinkInvalid } from "../../domain/link/Link.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { Visibility } from "../../domain/shared/Visibility.ts"
import { SearchTookTooLong } from "../../domain/text/TextProblem.ts"
import { NotYours, textProblems } from "../../domain/thread/Post.ts"
import { NewReply, Reply, ReplyTargetUnknown, ThreadIsReply } from "../../domain/thread/Reply.ts"
import {
  AuthorUnknown,
  NewThread,
  SearchText,
  Thread,
  ThreadChanges,
  ThreadHidden,
  ThreadListResult,
  ThreadNotFound,
  ThreadTitleMissing
} from "../../domain/thread/Thread.ts"
import { membersWith, readersWith } from "../contract/AccessPolicies.ts"
import { conditional, conditionalHeaders } from "../contract/Conditional.ts"
import { Done } from "../contract/Empty.ts"
import { CacheControl } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"
import { repliers, threadReaders } from "./ThreadAccess.ts"

const params = {
  thread_mark: Text.mark({
    description: "The id or the slug of the thread. Of a slug, only the id at its beginning counts."
  })
}

/** `GET /threads/:thread_mark`, which answers with cursors wherever a page of a thread is shown. */
export const getThread = HttpApiEndpoint.get("get", "/:thread_mark", {
  params,
  query: pagedQuery,
  headers: conditionalHeaders,
  success: conditional(Thread),
  error: [ThreadNotFound, ThreadHidden, CursorMismatch]
}).pipe(
  operation({
    id: "ThreadGet",
    cost: "quick",
    summary: "Read a thread and a page of its replies",
    description:
      "Replies are oldest first, 50 on a page. A walk by cursors goes by their order, in which no reply ever moves.",
    access: threadReaders,
    tools: [{ name: "thread_get" }]
  })
)

export class ThreadsApi extends HttpApiGroup.make("threads")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...pagedQuery,
        q: Schema.optionalKey(SearchText),
        author: Schema.optionalKey(
          Text.term({ max: 255, description: "The handle or the id of the author" })
        ),
        visibility: Schema.optionalKey(
          Schema.Array(Visibility).check(Schema.isMaxLength(10)).annotate({
            description:
              "Which threads to list, of those that the caller may see. Your drafts need `author` as well."
          })
        ),
        tags: Schema.optionalKey(
          Schema.Array(Text.term({ max: 255, description: "The id of a tag" }))
            .check(Schema.isMaxLength(100))
            .annotate({ description: "Tag ids: threads with any of them" })
        ),
        categories: Schema.optionalKey(
          Schema.Array(Text.term({ max: 255, description: "The slug of a category, or `null`" }))
            .check(Schema.isMaxLength(100))
            .annotate({
              description:
                "Category slugs: threads in any of them. The value `null` means threads without a category."
            })
        ),
        ignore_pinned: Schema.optionalKey(
          Schema.Boolean.annotate({ description: "Order by last activity only" })
        )
      },
      success: HttpApiSchema.WithHeaders(ThreadListResult, { "cache-control": CacheControl }),
      error: [AuthorUnknown, SearchTookTooLong, CursorMismatch]
    }).pipe(
      operation({
        id: "ThreadList",
        cost: "quick",
        heavyWith: "q",
        summary: "List threads",
        description:
          "Pinned threads first, then by last activity, newest first; 50 on a page. A walk by cursors goes through the list as it was when the walk began: it shows what has been replied to, pinned or hidden replies of since where it was then, and each thread that exists throughout once. It ends with `search-took-too-long` if more than ten thousand threads have been active since it began.",
        access: readersWith("READ_PUBLISHED_THREADS"),
        tools: [{ name: "thread_list" }]
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewThread,
      success: Thread,
      error: [CategoryUnknown, LinkInvalid, ThreadTitleMissing, ...textProblems, ThreadNotFound]
    }).pipe(
      operation({
        id: "ThreadCreate",
        cost: "write",
        summary: "Create a thread",
        description: "A draft unless `visibility` has another value. Only a draft may have an empty title.",
        access: membersWith("CREATE_POST"),
        tools: [{ name: "thread_create" }]
      })
    ),
    getThread,
    HttpApiEndpoint.patch("update", "/:thread_mark", {
      params,
      payload: ThreadChanges,
      success: Thread,
      error: [
        ThreadNotFound,
        NotYours,
        Forbidden,
        CategoryUnknown,
        LinkInvalid,
        ThreadTitleMissing,
        ...textProblems
      ]
    }).pipe(
      operation({
        id: "ThreadUpdate",
        cost: "write",
        summary: "Change a thread",
        description:
          "Its author and moderators may. The slug never changes, but that a draft without a title gets one with its first.",
        access: membersWith("READ_PUBLISHED_THREADS"),
        tools: [{ name: "thread_update", isDestructive: true, isIdempotent: true }]
      })
    ),
    HttpApiEndpoint.delete("delete", "/:thread_mark", {
      params,
      success: Done,
      error: [ThreadNotFound, NotYours]
    }).pipe(
      operation({
        id: "ThreadDelete",
        cost: "write",
        summary: "Delete a thread and its replies",
        description: "Its author and moderators may.",
        access: membersWith("READ_PUBLISHED_THREADS")
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
        cost: "write",
        summary: "Reply in a thread",
        description: "A reply to the thread, or with `reply_to` to one of its posts.",
        access: repliers,
        tools: [{ name: "thread_reply" }]
      })
    )
  )
  .prefix("/threads")
  .annotateMerge(OpenApi.annotations({ title: "replies", description: "Replies in threads" })) {}
