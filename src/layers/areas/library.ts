import { Layer } from "effect"
import { PropertyEdits } from "../../domain/library/PropertyEdits.ts"
import * as NodeStatesSql from "../../persistence/library/NodeStatesSql.ts"
import * as NodeStoreSql from "../../persistence/library/NodeStoreSql.ts"
import * as PropertyStoreSql from "../../persistence/library/PropertyStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const library = {
  ...empty,
  stores: Layer.mergeAll(NodeStatesSql.layer, NodeStoreSql.layer, PropertyStoreSql.layer),
  services: PropertyEdits.layer
} satisfies Area
