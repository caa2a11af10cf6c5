import { Tags } from "../../../domain/tag/Tags.ts"
import * as TagsHandlers from "../../../http/tag/TagsHandlers.ts"
import * as TagStoreSql from "../../../persistence/tag/TagStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const tag = {
  ...empty,
  stores: TagStoreSql.layer,
  services: Tags.layer,
  handlers: TagsHandlers.layer
} satisfies Area
