import { Layer } from "effect"
import { Assets } from "../../domain/asset/Assets.ts"
import { NodeAnswers } from "../../domain/library/NodeAnswers.ts"
import { NodeChildren } from "../../domain/library/NodeChildren.ts"
import { NodeMoves } from "../../domain/library/NodeMoves.ts"
import { Nodes } from "../../domain/library/Nodes.ts"
import { Properties } from "../../domain/library/Properties.ts"
import { PropertyEdits } from "../../domain/library/PropertyEdits.ts"
import * as NodesHandlers from "../../http/library/NodesHandlers.ts"
import * as ChildOrderSql from "../../persistence/library/ChildOrderSql.ts"
import * as NodeReaderSql from "../../persistence/library/NodeReaderSql.ts"
import * as NodeStatesSql from "../../persistence/library/NodeStatesSql.ts"
import * as NodeStoreSql from "../../persistence/library/NodeStoreSql.ts"
import * as NodeTreeSql from "../../persistence/library/NodeTreeSql.ts"
import * as PropertyStoreSql from "../../persistence/library/PropertyStoreSql.ts"
import { type Area, empty } from "./Area.ts"

const services = Layer.mergeAll(
  Nodes.layer.pipe(Layer.provide(Assets.layer)),
  NodeMoves.layer,
  NodeAnswers.layer,
  NodeChildren.layer,
  Properties.layer
)

export const library = {
  ...empty,
  stores: Layer.mergeAll(
    NodeStatesSql.layer,
    NodeStoreSql.layer,
    NodeTreeSql.layer,
    NodeReaderSql.layer,
    ChildOrderSql.layer
  ).pipe(Layer.provideMerge(PropertyStoreSql.layer)),
  services: services.pipe(Layer.provideMerge(PropertyEdits.layer)),
  handlers: NodesHandlers.layer
} satisfies Area
