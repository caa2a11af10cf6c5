import { Layer } from "effect"
import { AccountRoles } from "../../../domain/account/AccountRoles.ts"
import { Roles } from "../../../domain/role/Roles.ts"
import * as AccountRolesHandlers from "../../../http/role/AccountRolesHandlers.ts"
import * as RolesHandlers from "../../../http/role/RolesHandlers.ts"
import * as RoleStoreSql from "../../../persistence/role/RoleStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const role = {
  ...empty,
  stores: RoleStoreSql.layer,
  services: Layer.mergeAll(Roles.layer, AccountRoles.layer),
  handlers: Layer.mergeAll(RolesHandlers.layer, AccountRolesHandlers.layer)
} satisfies Area
