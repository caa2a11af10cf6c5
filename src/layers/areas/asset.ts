import * as AssetStoreSql from "../../persistence/asset/AssetStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const asset = {
  ...empty,
  stores: AssetStoreSql.layer
} satisfies Area
