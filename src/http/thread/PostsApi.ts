import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { PostId } from "../../domain/shared/Id.ts"
import { NotYours, Post, PostChanges, PostNotFound, textProblems } from "../../domain/thread/Post.ts"
import { PostLocation } from "../../domain/thread/PostLocation.ts"
import { ThreadHidden, ThreadTitleMissing } from "../../domain/thread/Thread.ts"
import { membersWith, readersWith } from "../contract/AccessPolicies.ts"
import { Done } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const params = {
  post_id: Text.mark({ description: "The id of a reply, or of a thread for its opening post" })
}

export class PostsApi extends HttpApiGroup.make("posts")
  .add(
    HttpApiEndpoint.get("locate", "/location", {
      query: { id: PostId.annotate({ description: "The id of a thread or reply" }) },
      success: PostLocation,
      error: PostNotFound
    }).pipe(
      operation({
        id: "PostLocationGet",
        cost: "quick",
        summary: "Find the page that shows a post",
        description:
          "The thread, and for a reply the page of it that shows the reply to this caller. What the caller may not read is not found.",
        access: readersWith("READ_PUBLISHED_THREADS")
      })
    ),
    HttpApiEndpoint.patch("update", "/:post_id", {
      params,
      payload: PostChanges,
      success: Post,
      error: [PostNotFound, ThreadHidden, NotYours, Forbidden, ThreadTitleMissing, ...textProblems]
    }).pipe(
      operation({
        id: "PostUpdate",
        cost: "write",
        summary: "Change a post",
        description: "Its author and moderators may. Only moderators may change the visibility.",
        access: membersWith("READ_PUBLISHED_THREADS")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:post_id", {
      params,
      success: Done,
      error: [PostNotFound, ThreadHidden, NotYours]
    }).pipe(
      operation({
        id: "PostDelete",
        cost: "write",
        summary: "Delete a post",
        description: "Its author and moderators may. Deleting the opening post deletes the thread.",
        access: membersWith("READ_PUBLISHED_THREADS")
      })
    )
  )
  .prefix("/posts")
  .annotateMerge(
    OpenApi.annotations({ title: "posts", description: "Replies and the posts that open threads" })
  ) {}
