import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { NotYours, Post, PostChanges, PostNotFound } from "../../domain/thread/Post.ts"
import { textProblems } from "../../domain/thread/PostText.ts"
import { Authentication, accounts } from "../shared/Authentication.ts"
import { operation } from "../shared/Operation.ts"

const params = {
  post_id: Schema.String.annotate({ description: "The id of a reply, or of a thread for its opening post" })
}

export class PostsApi extends HttpApiGroup.make("posts")
  .add(
    HttpApiEndpoint.patch("update", "/:post_id", {
      params,
      payload: PostChanges,
      success: Post,
      error: [PostNotFound, NotYours, Forbidden, ...textProblems]
    })
      .annotateMerge(
        operation(
          "PostUpdate",
          "Change a post",
          "Its author and moderators may; only moderators its visibility."
        )
      )
      .annotateMerge(accounts),
    HttpApiEndpoint.delete("delete", "/:post_id", {
      params,
      success: HttpApiSchema.Empty(200),
      error: [PostNotFound, NotYours]
    })
      .annotateMerge(
        operation("PostDelete", "Delete a post", "With a thread's opening post goes the thread.")
      )
      .annotateMerge(accounts)
  )
  .prefix("/posts")
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "posts", description: "Replies and opening posts alike" })) {}
