import { Schema } from "effect"

export const PurgedContent = Schema.Literals([
  "threads",
  "replies",
  "reacts",
  "likes",
  "nodes",
  "collections",
  "profile_bio"
]).annotate({
  identifier: "ModerationActionPurgeAccountContentType",
  description: "A kind of content of an account that can be removed at once"
})
export type PurgedContent = typeof PurgedContent.Type
