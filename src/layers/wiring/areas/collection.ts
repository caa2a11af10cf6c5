import { Effect, Layer } from "effect"
import * as CollectionConsumer from "../../../domain/collection/CollectionConsumer.ts"
import { CollectionItems } from "../../../domain/collection/CollectionItems.ts"
import { Collections } from "../../../domain/collection/Collections.ts"
import * as CollectionsHandlers from "../../../http/collection/CollectionsHandlers.ts"
import * as CollectionStoreSql from "../../../persistence/collection/CollectionStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const collection = {
  ...empty,
  stores: CollectionStoreSql.layer,
  services: CollectionItems.layer.pipe(Layer.provideMerge(Collections.layer)),
  handlers: CollectionsHandlers.layer,
  consumers: Effect.all([CollectionConsumer.make, CollectionConsumer.makeForNodes])
} satisfies Area
