import { Instance } from "../../domain/instance/Instance.ts"
import * as InstanceHandlers from "../../http/instance/InstanceHandlers.ts"
import * as InstanceStoreSql from "../../persistence/instance/InstanceStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const instance = {
  ...empty,
  stores: InstanceStoreSql.layer,
  services: Instance.layer,
  handlers: InstanceHandlers.layer
} satisfies Area
