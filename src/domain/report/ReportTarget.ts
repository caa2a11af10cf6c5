import type { ItemRef } from "../datagraph/DatagraphItems.ts"
import { AccountId, NodeId, PostId } from "../shared/Id.ts"
import type { DatagraphItemKind } from "../vocabulary/Kinds.ts"

/** The kind as which a reported item is shown; undefined for kinds of which reports show nothing. */
export const itemKindOf = (kind: DatagraphItemKind): "post" | "node" | "profile" | undefined => {
  switch (kind) {
    case "post":
    case "thread":
    case "reply":
      return "post"
    case "node":
    case "profile":
      return kind
    default:
      return undefined
  }
}

/** What a report shows of its target, if anything. */
export const itemOf = ({
  target_id: id,
  target_kind
}: {
  readonly target_id: string
  readonly target_kind: DatagraphItemKind
}): ItemRef | undefined => {
  const kind = itemKindOf(target_kind)
  switch (kind) {
    case "post":
      return { kind, id: PostId.make(id) }
    case "node":
      return { kind, id: NodeId.make(id) }
    case "profile":
      return { kind, id: AccountId.make(id) }
    case undefined:
      return undefined
  }
}
