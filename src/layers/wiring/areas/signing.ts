import { Duration, Effect, Layer } from "effect"
import { AccessTokens } from "../../../domain/signing/AccessTokens.ts"
import { SigningKeys } from "../../../domain/signing/SigningKeys.ts"
import * as SigningHandlers from "../../../http/signing/SigningHandlers.ts"
import * as SigningKeyStoreSql from "../../../persistence/signing/SigningKeyStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const signing = {
  ...empty,
  stores: SigningKeyStoreSql.layer,
  services: Layer.merge(SigningKeys.layer, AccessTokens.layer),
  handlers: SigningHandlers.layer,
  chores: Effect.map(SigningKeys, ({ removeExpired }) => [
    { name: "remove keys whose last token has expired", every: Duration.hours(1), run: removeExpired }
  ])
} satisfies Area
