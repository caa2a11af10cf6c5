import { Layer } from "effect"
import { AccountAdministration } from "../../../domain/account/AccountAdministration.ts"
import { Accounts } from "../../../domain/account/Accounts.ts"
import { Avatars } from "../../../domain/account/Avatars.ts"
import { Assets } from "../../../domain/asset/Assets.ts"
import { EmailAddresses } from "../../../domain/authentication/EmailAddresses.ts"
import * as AccountAdministrationHandlers from "../../../http/account/AccountAdministrationHandlers.ts"
import * as AccountsHandlers from "../../../http/account/AccountsHandlers.ts"
import * as AvatarsHandlers from "../../../http/account/AvatarsHandlers.ts"
import * as EmailAddressesHandlers from "../../../http/account/EmailAddressesHandlers.ts"
import * as AccountListSql from "../../../persistence/account/AccountListSql.ts"
import * as AccountStoreSql from "../../../persistence/account/AccountStoreSql.ts"
import * as EmailAddressStoreSql from "../../../persistence/account/EmailAddressStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const account = {
  ...empty,
  stores: Layer.mergeAll(AccountStoreSql.layer, AccountListSql.layer, EmailAddressStoreSql.layer),
  services: Layer.mergeAll(
    Accounts.layer,
    AccountAdministration.layer,
    Avatars.layer.pipe(Layer.provide(Assets.layer)),
    EmailAddresses.layer
  ),
  handlers: Layer.mergeAll(
    AccountsHandlers.layer,
    AccountAdministrationHandlers.layer,
    AvatarsHandlers.layer,
    EmailAddressesHandlers.layer
  )
} satisfies Area
