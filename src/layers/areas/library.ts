import { Layer } from "effect"
import { Assets } from "../../domain/asset/Assets.ts"
import { NodeAnswers } from "../../domain/library/NodeAnswers.ts"
import { NodeMoves } from "../../domain/library/NodeMoves.ts"
import { Nodes } from "../../domain/library/Nodes.ts"
import * as NodesHandlers from "../../http/library/NodesHandlers.ts"
import * as NodeStatesSql from "../../persistence/library/NodeStatesSql.ts"
import * as NodeStoreSql from "../../persistence/library/NodeStoreSql.ts"
import * as NodeTreeSql from "../../persistence/library/NodeTreeSql.ts"
import { type Area, empty } from "./Area.ts"

export const library = {
  ...empty,
  stores: Layer.mergeAll(NodeStatesSql.layer, NodeStoreSql.layer, NodeTreeSql.layer),
  services: Layer.mergeAll(
    Nodes.layer.pipe(Layer.provide(Assets.layer)),
    NodeMoves.layer,
    NodeAnswers.layer
  ),
  handlers: NodesHandlers.layer
} satisfies Area
