import { Layer } from "effect"
import { Accounts } from "../../domain/account/Accounts.ts"
import { Avatars } from "../../domain/account/Avatars.ts"
import { EmailAddresses } from "../../domain/account/EmailAddresses.ts"
import { Assets } from "../../domain/asset/Assets.ts"
import * as AccountsHandlers from "../../http/account/AccountsHandlers.ts"
import * as AvatarsHandlers from "../../http/account/AvatarsHandlers.ts"
import * as EmailAddressesHandlers from "../../http/account/EmailAddressesHandlers.ts"
import * as AccountStoreSql from "../../persistence/account/AccountStoreSql.ts"
import * as EmailAddressStoreSql from "../../persistence/account/EmailAddressStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const account = {
  ...empty,
  stores: Layer.merge(AccountStoreSql.layer, EmailAddressStoreSql.layer),
  services: Layer.mergeAll(
    Accounts.layer,
    Avatars.layer.pipe(Layer.provide(Assets.layer)),
    EmailAddresses.layer
  ),
  handlers: Layer.mergeAll(AccountsHandlers.layer, AvatarsHandlers.layer, EmailAddressesHandlers.layer)
} satisfies Area
