import { Layer } from "effect"
import { Assets } from "../../../domain/asset/Assets.ts"
import { Themes } from "../../../domain/theme/Themes.ts"
import * as ThemeHandlers from "../../../http/theme/ThemeHandlers.ts"
import * as ThemeStoreSql from "../../../persistence/theme/ThemeStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const theme = {
  ...empty,
  stores: ThemeStoreSql.layer,
  services: Themes.layer.pipe(Layer.provide(Assets.layer)),
  handlers: ThemeHandlers.layer
} satisfies Area
