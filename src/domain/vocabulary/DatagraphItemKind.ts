import { Schema } from "effect"

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
