import { Layer } from "effect"
import { SignInsElsewhere } from "../../../domain/elsewhere/SignInsElsewhere.ts"
import * as SignInsElsewhereHandlers from "../../../http/elsewhere/SignInsElsewhereHandlers.ts"
import * as IdentityStoreSql from "../../../persistence/elsewhere/IdentityStoreSql.ts"
import * as ProviderProtocols from "../../adapters/elsewhere/ProviderProtocols.ts"
import { type Area, empty } from "./Area.ts"

/** Signing in with accounts at other services. */
export const elsewhere = {
  ...empty,
  stores: IdentityStoreSql.layer,
  services: SignInsElsewhere.layer.pipe(Layer.provide(ProviderProtocols.layer)),
  handlers: SignInsElsewhereHandlers.layer
} satisfies Area
