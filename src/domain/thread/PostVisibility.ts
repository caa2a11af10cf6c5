/** Who may see a thread or a reply, and what the description of the API says of it. */
import { policyText, type VisibilityPolicy } from "../shared/Visibility.ts"

/** Before a thread is published, only its author and moderators read it. */
export const threadPolicy: VisibilityPolicy = {
  staff: "MANAGE_POSTS",
  audience: {
    draft: ["author", "staff"],
    unlisted: ["author", "staff"],
    review: ["author", "staff"],
    published: ["readers"]
  }
}

/** Of unpublished replies, authors read only those held for review. */
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

/** The same of a post, which is a reply or opens a thread. */
export const postAudience = `Who may see a thread: ${ofThread}. Who of those who may read its thread may see a reply: ${ofReply}.`
