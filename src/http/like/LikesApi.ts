import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountNotFound } from "../../domain/account/Account.ts"
import * as Text from "../../domain/field/Text.ts"
import { ItemLikeResult, likesMax, ProfileLikeListResult } from "../../domain/like/Like.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { PostNotFound } from "../../domain/thread/Post.ts"
import { ThreadHidden } from "../../domain/thread/Thread.ts"
import { accounts, anyone, membersWith } from "../contract/AccessPolicies.ts"
import { Done } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const most = likesMax.toLocaleString("en")

const post = {
  post_id: Text.mark({
    description: "The id of a reply, or the id or the slug of a thread for its opening post"
  })
}

export class LikesApi extends HttpApiGroup.make("likes")
  .add(
    HttpApiEndpoint.get("ofPost", "/posts/:post_id", { params: post, success: ItemLikeResult }).pipe(
      operation({
        id: "LikePostGet",
        cost: "long",
        summary: "List the likes of a post",
        description: `Oldest first, the first ${most}. Of a post that there is not, or that the caller may not read, the list is empty.`,
        access: anyone
      })
    ),
    HttpApiEndpoint.put("add", "/posts/:post_id", {
      params: post,
      success: Done,
      error: [PostNotFound, ThreadHidden]
    }).pipe(
      operation({
        id: "LikePostAdd",
        cost: "write",
        summary: "Like a post",
        description: "A post that the caller likes already stays liked. Its author is notified once.",
        access: membersWith("READ_PUBLISHED_THREADS")
      })
    ),
    HttpApiEndpoint.delete("remove", "/posts/:post_id", {
      params: post,
      success: Done,
      error: [PostNotFound, ThreadHidden]
    }).pipe(
      operation({
        id: "LikePostRemove",
        cost: "write",
        summary: "Take back the like of a post",
        description:
          "Without a like nothing changes. The own like can be taken back also of a post that was hidden or deleted since.",
        access: accounts
      })
    ),
    HttpApiEndpoint.get("ofAccount", "/profiles/:account_handle", {
      params: { account_handle: Text.mark({ description: "The handle or the id of the account" }) },
      query: pagedQuery,
      success: ProfileLikeListResult,
      error: [AccountNotFound, CursorMismatch]
    }).pipe(
      operation({
        id: "LikeProfileGet",
        cost: "quick",
        summary: "List what an account likes",
        description: `Threads and replies, newest likes first; 50 on a page. Of the account's newest ${most} likes, those of posts that the caller may read.`,
        access: anyone
      })
    )
  )
  .prefix("/likes")
  .annotateMerge(OpenApi.annotations({ title: "likes", description: "Who likes which posts" })) {}
