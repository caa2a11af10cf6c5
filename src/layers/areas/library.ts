import { Layer } from "effect"
import * as NodeStatesSql from "../../persistence/library/NodeStatesSql.ts"
import * as NodeStoreSql from "../../persistence/library/NodeStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const library = {
  ...empty,
  stores: Layer.mergeAll(NodeStatesSql.layer, NodeStoreSql.layer)
} satisfies Area
