import { Layer } from "effect"
import { Assets } from "../../../domain/asset/Assets.ts"
import { Instance } from "../../../domain/instance/Instance.ts"
import { InstanceImages } from "../../../domain/instance/InstanceImages.ts"
import * as InstanceHandlers from "../../../http/instance/InstanceHandlers.ts"
import * as InstanceImagesHandlers from "../../../http/instance/InstanceImagesHandlers.ts"
import * as InstanceImageStoreSql from "../../../persistence/instance/InstanceImageStoreSql.ts"
import * as InstanceStoreSql from "../../../persistence/instance/InstanceStoreSql.ts"
import * as DescriptionThread from "../../adapters/description/DescriptionThread.ts"
import { type Area, empty } from "./Area.ts"

export const instance = {
  ...empty,
  stores: Layer.merge(InstanceStoreSql.layer, InstanceImageStoreSql.layer),
  services: Layer.merge(Instance.layer, InstanceImages.layer.pipe(Layer.provide(Assets.layer))),
  handlers: Layer.merge(
    InstanceHandlers.layer.pipe(Layer.provide(DescriptionThread.layer)),
    InstanceImagesHandlers.layer
  )
} satisfies Area
