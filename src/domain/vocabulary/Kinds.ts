/** The kinds of things that answers and events of several areas name. */
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

/** What content can be. */
export const DatagraphItemKind = Schema.Literals([
  "post",
  "thread",
  "reply",
  "node",
  "collection",
  "profile",
  "event"
]).annotate({ identifier: "DatagraphItemKind", description: "What something is" })
export type DatagraphItemKind = typeof DatagraphItemKind.Type

/** What an image of the instance is for. */
export const ImageKind = Schema.Literals(["icon", "banner"])
export type ImageKind = typeof ImageKind.Type
