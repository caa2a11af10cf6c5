import { Roles } from "../../domain/role/Roles.ts"
import * as RolesHandlers from "../../http/role/RolesHandlers.ts"
import * as RoleStoreSql from "../../persistence/role/RoleStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const role = {
  ...empty,
  stores: RoleStoreSql.layer,
  services: Roles.layer,
  handlers: RolesHandlers.layer
} satisfies Area
