import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Meta } from "../field/Json.ts"
import * as Text from "../field/Text.ts"
import { PostId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { Visibility } from "../shared/Visibility.ts"
import { Body, postFields } from "./Post.ts"
import { replyAudience } from "./PostVisibility.ts"
import { newReply, reply } from "./ThreadExamples.ts"

const replyFields = {
  ...postFields,
  visibility: Visibility.annotateKey({ description: replyAudience }),
  root_id: PostId.annotateKey({ description: "The id of the thread" }),
  root_slug: Schema.String.annotate({ description: "The slug of the thread" })
}

/** A reply in a thread. */
export const Reply = Schema.Struct({
  ...replyFields,
  reply_to: Schema.optionalKey(
    Schema.Struct(replyFields).annotate({
      identifier: "QuotedReply",
      description: "The reply that it answers, without `reply_to` of its own; absent if deleted"
    })
  )
})
  .annotate({
    identifier: "Reply",
    description: "A reply in a thread"
  })
  .pipe(withExample(reply))
export interface Reply extends Schema.Schema.Type<typeof Reply> {}

export const NewReply = Schema.Struct({
  body: Body,
  reply_to: Schema.optionalKey(PostId.annotate({ description: "The id of a post in the same thread" })),
  meta: Schema.optionalKey(Meta),
  url: Schema.optionalKey(Text.verbatim({ max: 2000, description: "Accepted and ignored" }))
})
  .annotate({
    identifier: "ReplyInitialProps",
    description: "A reply to create"
  })
  .pipe(withExample(newReply))
export interface NewReply extends Schema.Schema.Type<typeof NewReply> {}

export class ReplyTargetUnknown extends Problem<ReplyTargetUnknown>()("ReplyTargetUnknown", {
  status: 400,
  title: "The post to reply to is not in this thread",
  explanation: "`reply_to` names a post that does not exist, was deleted, or belongs to another thread.",
  metadata: { reply_to: Schema.String }
}) {}

export class ThreadIsReply extends Problem<ThreadIsReply>()("ThreadIsReply", {
  status: 400,
  title: "This is a reply, not a thread",
  explanation: "Replies are posted to the thread; to answer one reply, name it in `reply_to`.",
  metadata: { thread_mark: Schema.String }
}) {}
