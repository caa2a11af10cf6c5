import { Layer } from "effect"
import { TokenEndpoint } from "../../../domain/oauthtoken/TokenEndpoint.ts"
import { TokenStatus } from "../../../domain/oauthtoken/TokenStatus.ts"
import * as OAuthTokensHandlers from "../../../http/oauthtoken/OAuthTokensHandlers.ts"
import * as TokenStatusHandlers from "../../../http/oauthtoken/TokenStatusHandlers.ts"
import { type Area, empty } from "./Area.ts"

export const oauthtoken = {
  ...empty,
  services: Layer.merge(TokenEndpoint.layer, TokenStatus.layer),
  handlers: Layer.merge(OAuthTokensHandlers.layer, TokenStatusHandlers.layer)
} satisfies Area
