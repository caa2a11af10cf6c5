/** Who may see a thread or a reply, and what the description of the API says of it. */
import type { PostId } from "../shared/Id.ts"
import { policyText, type Target, type VisibilityPolicy } from "../shared/Visibility.ts"

/** The thread that a post is in. */
export interface ThreadState extends Target {
  readonly id: PostId
}

/** A thread's opening post or a reply, with the thread it is in. */
export interface PostState extends Target {
  readonly id: PostId
  readonly thread: ThreadState
}

/** Who reads a thread, by its visibility: before it is published, only its author and moderators. */
export const threadPolicy: VisibilityPolicy = {
  staff: "MANAGE_POSTS",
  audience: {
    draft: ["author", "staff"],
    unlisted: ["author", "staff"],
    review: ["author", "staff"],
    published: ["readers"]
  }
}

/** Who reads a reply. Authors read their own unpublished replies only while these are held for review. */
export const replyPolicy: VisibilityPolicy = {
  staff: "MANAGE_POSTS",
  audience: {
    draft: ["staff"],
    unlisted: ["staff"],
    review: ["author", "staff"],
    published: ["readers"]
  }
}

const ofThread = policyText(threadPolicy, { author: "its author", readers: "everyone who may read threads" })
const ofReply = policyText(replyPolicy, { author: "its author", readers: "everyone who may read its thread" })

export const threadAudience = `Who may see it: ${ofThread}.`

export const replyAudience = `Who of those who may read its thread may see it: ${ofReply}.`

/** Who may see a post, which is a reply or opens a thread. */
export const postAudience = `Who may see a thread: ${ofThread}. Who of those who may read its thread may see a reply: ${ofReply}.`
