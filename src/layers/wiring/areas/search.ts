import { Duration, Effect, Layer } from "effect"
import { Searches } from "../../../domain/search/Searches.ts"
import * as SearchHandlers from "../../../http/search/SearchHandlers.ts"
import { SearchIndex } from "../../../persistence/search/SearchIndexSql.ts"
import * as SearchStoreSql from "../../../persistence/search/SearchStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const search = {
  ...empty,
  stores: SearchStoreSql.layer,
  services: Layer.mergeAll(Searches.layer, SearchIndex.layer),
  handlers: SearchHandlers.layer,
  chores: Effect.all([
    Effect.map(SearchIndex, ({ merge }) => ({
      name: "merge new texts into the indexes of search",
      every: Duration.seconds(5),
      run: merge
    }))
  ])
} satisfies Area
