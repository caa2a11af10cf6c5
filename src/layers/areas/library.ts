import { Layer } from "effect"
import { NodeAnswers } from "../../domain/library/NodeAnswers.ts"
import { Nodes } from "../../domain/library/Nodes.ts"
import { PropertyEdits } from "../../domain/library/PropertyEdits.ts"
import { NodeViews } from "../../domain/library/NodeViews.ts"
import * as NodeAuthentication from "../../http/library/NodeAuthentication.ts"
import * as NodesHandlers from "../../http/library/NodesHandlers.ts"
import { TextCache } from "../../http/shared/TextCache.ts"
import * as NodeReaderSql from "../../persistence/library/NodeReaderSql.ts"
import * as NodeStatesSql from "../../persistence/library/NodeStatesSql.ts"
import * as NodeStoreSql from "../../persistence/library/NodeStoreSql.ts"
import * as NodeViewStoreSql from "../../persistence/library/NodeViewStoreSql.ts"
import * as PropertyStoreSql from "../../persistence/library/PropertyStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const library = {
  ...empty,
  stores: Layer.mergeAll(NodeStatesSql.layer, NodeStoreSql.layer, NodeReaderSql.layer, NodeViewStoreSql.layer).pipe(
    Layer.provideMerge(PropertyStoreSql.layer)
  ),
  services: Layer.mergeAll(Nodes.layer, NodeAnswers.layer, NodeViews.layer).pipe(Layer.provideMerge(PropertyEdits.layer)),
  handlers: NodesHandlers.layer.pipe(
    Layer.provide(Layer.mergeAll(NodeAuthentication.layer, TextCache.layer))
  )
} satisfies Area
