import { Layer } from "effect"
import { OAuthClients } from "../../../domain/oauthclient/OAuthClients.ts"
import { OwnOAuthClients } from "../../../domain/oauthclient/OwnOAuthClients.ts"
import * as OAuthClientsHandlers from "../../../http/oauthclient/OAuthClientsHandlers.ts"
import * as OAuthClientStoreSql from "../../../persistence/oauthclient/OAuthClientStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const oauthclient = {
  ...empty,
  stores: OAuthClientStoreSql.layer,
  services: Layer.merge(OAuthClients.layer, OwnOAuthClients.layer),
  handlers: OAuthClientsHandlers.layer
} satisfies Area
