import { Layer } from "effect"
import { Categories } from "../../../domain/category/Categories.ts"
import * as CategoriesHandlers from "../../../http/category/CategoriesHandlers.ts"
import * as CategoryStoreSql from "../../../persistence/category/CategoryStoreSql.ts"
import * as CategoryThreadsSql from "../../../persistence/thread/CategoryThreadsSql.ts"
import { type Area, empty } from "./Area.ts"

export const category = {
  ...empty,
  stores: Layer.provide(CategoryStoreSql.layer, CategoryThreadsSql.layer),
  services: Categories.layer,
  handlers: CategoriesHandlers.layer
} satisfies Area
