import { Schema } from "effect"
import { PostId } from "../shared/Id.ts"
import { Meta } from "../shared/Json.ts"
import { Problem } from "../shared/Problem.ts"
import { postFields } from "./Post.ts"

const replyFields = {
  ...postFields,
  root_id: PostId.annotateKey({ description: "The thread" }),
  root_slug: Schema.String
}

/** An answer in a thread (specification 2.6). */
export const Reply = Schema.Struct({
  ...replyFields,
  reply_to: Schema.optionalKey(
    Schema.Struct(replyFields).annotate({
      identifier: "QuotedReply",
      description: "The reply it answers, without what that one answered in turn; absent once deleted"
    })
  )
}).annotate({
  identifier: "Reply",
  description: "An answer in a thread"
})
export interface Reply extends Schema.Schema.Type<typeof Reply> {}

export const NewReply = Schema.Struct({
  body: Schema.String.annotate({ description: "HTML or plain text", examples: ["<p>I agree.</p>"] }),
  reply_to: Schema.optionalKey(PostId.annotate({ description: "A post of the same thread" })),
  meta: Schema.optionalKey(Meta),
  url: Schema.optionalKey(Schema.String.annotate({ description: "Accepted and ignored" }))
}).annotate({
  identifier: "ReplyInitialProps",
  description: "A reply to post"
})
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
