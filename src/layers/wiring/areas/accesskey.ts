import { AccessKeys } from "../../../domain/accesskey/AccessKeys.ts"
import * as AccessKeysHandlers from "../../../http/accesskey/AccessKeysHandlers.ts"
import * as AccessKeyStoreSql from "../../../persistence/accesskey/AccessKeyStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const accesskey = {
  ...empty,
  stores: AccessKeyStoreSql.layer,
  services: AccessKeys.layer,
  handlers: AccessKeysHandlers.layer
} satisfies Area
