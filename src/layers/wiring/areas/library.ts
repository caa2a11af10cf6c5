import { Effect, Layer } from "effect"
import { Assets } from "../../../domain/asset/Assets.ts"
import { NodeChildren } from "../../../domain/library/NodeChildren.ts"
import * as NodeLinkConsumer from "../../../domain/library/NodeLinkConsumer.ts"
import { NodeMoves } from "../../../domain/library/NodeMoves.ts"
import { Nodes } from "../../../domain/library/Nodes.ts"
import { NodeViews } from "../../../domain/library/NodeViews.ts"
import { Properties } from "../../../domain/library/Properties.ts"
import { PropertyEdits } from "../../../domain/library/PropertyEdits.ts"
import { Suggestions } from "../../../domain/library/Suggestions.ts"
import { Versions } from "../../../domain/library/Versions.ts"
import { VersionViews } from "../../../domain/library/VersionViews.ts"
import { makeVersionNotifications } from "../../../domain/notification/VersionNotifications.ts"
import { TextCache } from "../../../http/bytes/TextCache.ts"
import * as NodesHandlers from "../../../http/library/NodesHandlers.ts"
import * as NodeQueriesSql from "../../../persistence/library/NodeQueriesSql.ts"
import * as NodeStoreSql from "../../../persistence/library/NodeStoreSql.ts"
import * as PropertyStoreSql from "../../../persistence/library/PropertyStoreSql.ts"
import * as VersionStoreSql from "../../../persistence/library/VersionStoreSql.ts"
import { type Area, empty } from "./Area.ts"

const services = Layer.mergeAll(
  Nodes.layer.pipe(Layer.provide(Assets.layer)),
  NodeMoves.layer,
  NodeChildren.layer,
  NodeViews.layer,
  Properties.layer,
  Versions.layer,
  VersionViews.layer
)

export const library = {
  ...empty,
  stores: Layer.mergeAll(
    NodeQueriesSql.layer,
    NodeStoreSql.layer,
    VersionStoreSql.layer,
    Suggestions.none
  ).pipe(Layer.provideMerge(PropertyStoreSql.layer)),
  services: services.pipe(Layer.provideMerge(PropertyEdits.layer)),
  handlers: NodesHandlers.layer.pipe(Layer.provide(TextCache.layer)),
  consumers: Effect.all([NodeLinkConsumer.make, makeVersionNotifications])
} satisfies Area
