import { PasswordAuth } from "../../domain/authentication/PasswordAuth.ts"
import * as AuthenticationHandlers from "../../http/authentication/AuthenticationHandlers.ts"
import * as PasswordStoreSql from "../../persistence/authentication/PasswordStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const authentication = {
  ...empty,
  stores: PasswordStoreSql.layer,
  services: PasswordAuth.layer,
  handlers: AuthenticationHandlers.layer
} satisfies Area
