import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import {
  EmojiInvalid,
  NewReaction,
  ReactionNotYours,
  reactionsMax,
  TooManyReactions
} from "../../domain/reaction/Reaction.ts"
import { PostNotFound, React } from "../../domain/thread/Post.ts"
import { ThreadHidden } from "../../domain/thread/Thread.ts"
import { membersWith, membersWithBoth } from "../contract/AccessPolicies.ts"
import { Done } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const post_id = Text.mark({
  description: "The id of a reply, or the id or the slug of a thread for its opening post"
})

const postProblems = [PostNotFound, ThreadHidden] as const

export class ReactionsApi extends HttpApiGroup.make("reactions")
  .add(
    HttpApiEndpoint.put("add", "/:post_id/reacts", {
      params: { post_id },
      payload: NewReaction,
      success: React,
      error: [...postProblems, EmojiInvalid, TooManyReactions]
    }).pipe(
      operation({
        id: "PostReactAdd",
        cost: "write",
        summary: "React to a post",
        description: `With one emoji. Whoever reacts with the same emoji again gets the reaction that is there. An account may react to a post with ${reactionsMax.account} different emoji; a post has ${reactionsMax.post} reactions at most, with ${reactionsMax.emoji} different emoji.`,
        access: membersWithBoth("CREATE_REACTION", "READ_PUBLISHED_THREADS")
      })
    ),
    HttpApiEndpoint.delete("remove", "/:post_id/reacts/:react_id", {
      params: { post_id, react_id: Text.mark({ description: "The id of the reaction" }) },
      success: Done,
      error: [...postProblems, ReactionNotYours]
    }).pipe(
      operation({
        id: "PostReactRemove",
        cost: "write",
        summary: "Remove a reaction from a post",
        description:
          "The account that added it may, also from a post that was hidden or deleted since, and administrators. A reaction that the post does not have changes nothing.",
        access: membersWith("CREATE_REACTION")
      })
    )
  )
  .prefix("/posts")
  .annotateMerge(
    OpenApi.annotations({ title: "reactions", description: "Emoji with which accounts react to posts" })
  ) {}
