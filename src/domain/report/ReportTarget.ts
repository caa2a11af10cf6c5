import type { DatagraphItemKind } from "../vocabulary/DatagraphItemKind.ts"

/** As what something that is reported is shown; reports of other kinds show nothing. */
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
