import { Layer } from "effect"
import { ChangeHistory } from "../../../domain/change/ChangeHistory.ts"
import { ChangeStreams } from "../../../domain/change/ChangeStreams.ts"
import { StreamPlaces } from "../../../domain/change/StreamPlaces.ts"
import { InternalErrors } from "../../../domain/operations/InternalErrors.ts"
import * as ChangesHandlers from "../../../http/change/ChangesHandlers.ts"
import * as ChangeFeedSql from "../../../persistence/change/ChangeFeedSql.ts"
import * as ChangeLogSql from "../../../persistence/change/ChangeLogSql.ts"
import { type Area, empty } from "./Area.ts"

/** One for all who follow changes, plugins among them. */
export const feed = ChangeFeedSql.layer.pipe(Layer.provide(InternalErrors.layer))

const reading = Layer.merge(feed, ChangeLogSql.layer.pipe(Layer.provide(InternalErrors.layer)))

export const change = {
  ...empty,
  services: Layer.merge(ChangeHistory.layer, ChangeStreams.layer).pipe(
    Layer.provideMerge(reading),
    Layer.merge(StreamPlaces.layer)
  ),
  handlers: ChangesHandlers.layer
} satisfies Area
