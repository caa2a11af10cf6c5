import { Effect, Layer } from "effect"
import { NodeAnswers } from "../../domain/library/NodeAnswers.ts"
import { Nodes } from "../../domain/library/Nodes.ts"
import { PropertyEdits } from "../../domain/library/PropertyEdits.ts"
import { makeVersionNotifications } from "../../domain/library/VersionNotifications.ts"
import { Versions } from "../../domain/library/Versions.ts"
import { VersionViews } from "../../domain/library/VersionViews.ts"
import * as NodesHandlers from "../../http/library/NodesHandlers.ts"
import * as NodeReaderSql from "../../persistence/library/NodeReaderSql.ts"
import * as NodeStatesSql from "../../persistence/library/NodeStatesSql.ts"
import * as NodeStoreSql from "../../persistence/library/NodeStoreSql.ts"
import * as PropertyStoreSql from "../../persistence/library/PropertyStoreSql.ts"
import * as VersionStoreSql from "../../persistence/library/VersionStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const library = {
  ...empty,
  stores: Layer.mergeAll(NodeStatesSql.layer, NodeStoreSql.layer, NodeReaderSql.layer, VersionStoreSql.layer).pipe(
    Layer.provideMerge(PropertyStoreSql.layer)
  ),
  services: Layer.mergeAll(Nodes.layer, NodeAnswers.layer, Versions.layer, VersionViews.layer).pipe(Layer.provideMerge(PropertyEdits.layer)),
  handlers: NodesHandlers.layer,
  consumers: Effect.all([makeVersionNotifications])
} satisfies Area
