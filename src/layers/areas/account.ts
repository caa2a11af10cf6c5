import { Accounts } from "../../domain/account/Accounts.ts"
import * as AccountsHandlers from "../../http/account/AccountsHandlers.ts"
import * as AccountStoreSql from "../../persistence/account/AccountStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const account = {
  ...empty,
  stores: AccountStoreSql.layer,
  services: Accounts.layer,
  handlers: AccountsHandlers.layer
} satisfies Area
