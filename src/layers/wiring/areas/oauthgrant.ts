import { Duration, Effect, Layer } from "effect"
import { ClientAuthentication } from "../../../domain/oauthgrant/ClientAuthentication.ts"
import { Grants } from "../../../domain/oauthgrant/Grants.ts"
import { RefreshTokens } from "../../../domain/oauthgrant/RefreshTokens.ts"
import * as RefreshTokensHandlers from "../../../http/oauthgrant/RefreshTokensHandlers.ts"
import * as GrantStoreSql from "../../../persistence/oauthgrant/GrantStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const oauthgrant = {
  ...empty,
  stores: GrantStoreSql.layer,
  services: Layer.mergeAll(Grants.layer, ClientAuthentication.layer, RefreshTokens.layer),
  handlers: RefreshTokensHandlers.layer,
  chores: Effect.map(Grants, ({ forget }) => [
    { name: "forget tokens that are of no use", every: Duration.hours(1), run: forget }
  ])
} satisfies Area
