import { Layer } from "effect"
import { InternalErrors } from "../../../domain/operations/InternalErrors.ts"
import * as ChangeFeedSql from "../../../persistence/change/ChangeFeedSql.ts"
import { type Area, empty } from "./Area.ts"

export const change = {
  ...empty,
  services: ChangeFeedSql.layer.pipe(Layer.provide(InternalErrors.layer))
} satisfies Area
