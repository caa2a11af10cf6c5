import { Searches } from "../../domain/search/Searches.ts"
import * as SearchHandlers from "../../http/search/SearchHandlers.ts"
import * as SearchStoreSql from "../../persistence/search/SearchStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const search = {
  ...empty,
  stores: SearchStoreSql.layer,
  services: Searches.layer,
  handlers: SearchHandlers.layer
} satisfies Area
