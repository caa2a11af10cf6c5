import { Schema } from "effect"
import { Node } from "../library/Node.ts"
import { PublicProfile } from "../profile/PublicProfile.ts"
import { DatagraphItemPost } from "../thread/Post.ts"
import { Reply } from "../thread/Reply.ts"
import { Thread } from "../thread/Thread.ts"

export const DatagraphItemThread = Schema.Struct({ kind: Schema.Literal("thread"), ref: Thread }).annotate({
  identifier: "DatagraphItemThread",
  description: "A thread that something else refers to. Its replies are counted but not listed."
})
export interface DatagraphItemThread extends Schema.Schema.Type<typeof DatagraphItemThread> {}

export const DatagraphItemReply = Schema.Struct({ kind: Schema.Literal("reply"), ref: Reply }).annotate({
  identifier: "DatagraphItemReply",
  description: "A reply that something else refers to"
})
export interface DatagraphItemReply extends Schema.Schema.Type<typeof DatagraphItemReply> {}

export const DatagraphItemNode = Schema.Struct({ kind: Schema.Literal("node"), ref: Node }).annotate({
  identifier: "DatagraphItemNode",
  description: "A page of the library that something else refers to"
})
export interface DatagraphItemNode extends Schema.Schema.Type<typeof DatagraphItemNode> {}

export const DatagraphItemProfile = Schema.Struct({
  kind: Schema.Literal("profile"),
  ref: PublicProfile
}).annotate({
  identifier: "DatagraphItemProfile",
  description: "An account that something else refers to, as everyone sees it"
})
export interface DatagraphItemProfile extends Schema.Schema.Type<typeof DatagraphItemProfile> {}

/** Content that something else refers to. */
export const DatagraphItem = Schema.Union([
  DatagraphItemPost,
  DatagraphItemThread,
  DatagraphItemReply,
  DatagraphItemNode,
  DatagraphItemProfile
]).annotate({
  identifier: "DatagraphItem",
  description: "Content that something else refers to"
})
export type DatagraphItem = typeof DatagraphItem.Type
