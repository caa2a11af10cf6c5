import { TokenEndpoint } from "../../../domain/oauthtoken/TokenEndpoint.ts"
import * as OAuthTokensHandlers from "../../../http/oauthtoken/OAuthTokensHandlers.ts"
import { type Area, empty } from "./Area.ts"

export const oauthtoken = {
  ...empty,
  services: TokenEndpoint.layer,
  handlers: OAuthTokensHandlers.layer
} satisfies Area
