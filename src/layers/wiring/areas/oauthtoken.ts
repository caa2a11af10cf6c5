import { Layer } from "effect"
import { TokenEndpoint } from "../../../domain/oauthtoken/TokenEndpoint.ts"
import { TokenStatus } from "../../../domain/oauthtoken/TokenStatus.ts"
import { UserInfo } from "../../../domain/oauthtoken/UserInfo.ts"
import * as OAuthTokensHandlers from "../../../http/oauthtoken/OAuthTokensHandlers.ts"
import * as TokenStatusHandlers from "../../../http/oauthtoken/TokenStatusHandlers.ts"
import * as UserInfoHandlers from "../../../http/oauthtoken/UserInfoHandlers.ts"
import { type Area, empty } from "./Area.ts"

export const oauthtoken = {
  ...empty,
  services: Layer.mergeAll(TokenEndpoint.layer, TokenStatus.layer, UserInfo.layer),
  handlers: Layer.mergeAll(OAuthTokensHandlers.layer, TokenStatusHandlers.layer, UserInfoHandlers.layer)
} satisfies Area
