import { Duration, Effect, Layer } from "effect"
import { InitialAccessTokens } from "../../../domain/oauthclient/InitialAccessTokens.ts"
import { OAuthClients } from "../../../domain/oauthclient/OAuthClients.ts"
import { OwnOAuthClients } from "../../../domain/oauthclient/OwnOAuthClients.ts"
import * as InitialAccessTokensHandlers from "../../../http/oauthclient/InitialAccessTokensHandlers.ts"
import * as OAuthClientsHandlers from "../../../http/oauthclient/OAuthClientsHandlers.ts"
import * as InitialAccessTokenStoreSql from "../../../persistence/oauthclient/InitialAccessTokenStoreSql.ts"
import * as OAuthClientStoreSql from "../../../persistence/oauthclient/OAuthClientStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const oauthclient = {
  ...empty,
  stores: Layer.merge(OAuthClientStoreSql.layer, InitialAccessTokenStoreSql.layer),
  services: Layer.mergeAll(OAuthClients.layer, OwnOAuthClients.layer, InitialAccessTokens.layer),
  handlers: Layer.merge(OAuthClientsHandlers.layer, InitialAccessTokensHandlers.layer),
  chores: Effect.all([
    Effect.map(InitialAccessTokens, ({ forgetOld }) => ({
      name: "forget old initial access tokens",
      every: Duration.hours(1),
      run: forgetOld
    }))
  ])
} satisfies Area
