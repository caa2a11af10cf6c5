import { Duration, Effect, Layer } from "effect"
import { InitialAccessTokens } from "../../../domain/oauthclient/InitialAccessTokens.ts"
import { OAuthClients } from "../../../domain/oauthclient/OAuthClients.ts"
import { OwnOAuthClients } from "../../../domain/oauthclient/OwnOAuthClients.ts"
import { Registrations } from "../../../domain/oauthclient/Registrations.ts"
import * as InitialAccessTokensHandlers from "../../../http/oauthclient/InitialAccessTokensHandlers.ts"
import * as OAuthClientsHandlers from "../../../http/oauthclient/OAuthClientsHandlers.ts"
import * as RegistrationsHandlers from "../../../http/oauthclient/RegistrationsHandlers.ts"
import * as InitialAccessTokenStoreSql from "../../../persistence/oauthclient/InitialAccessTokenStoreSql.ts"
import * as OAuthClientStoreSql from "../../../persistence/oauthclient/OAuthClientStoreSql.ts"
import * as RegistrationStoreSql from "../../../persistence/oauthclient/RegistrationStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const oauthclient = {
  ...empty,
  stores: Layer.mergeAll(
    OAuthClientStoreSql.layer,
    InitialAccessTokenStoreSql.layer,
    RegistrationStoreSql.layer
  ),
  services: Layer.mergeAll(
    OAuthClients.layer,
    OwnOAuthClients.layer,
    InitialAccessTokens.layer,
    Registrations.layer
  ),
  handlers: Layer.mergeAll(
    OAuthClientsHandlers.layer,
    InitialAccessTokensHandlers.layer,
    RegistrationsHandlers.layer
  ),
  chores: Effect.all([
    Effect.map(InitialAccessTokens, ({ forgetOld }) => ({
      name: "forget old initial access tokens",
      every: Duration.hours(1),
      run: forgetOld
    })),
    Effect.map(Registrations, ({ clean }) => ({
      name: "delete registered clients that nobody uses",
      every: Duration.hours(1),
      run: clean
    }))
  ])
} satisfies Area
