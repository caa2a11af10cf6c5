import { Effect, Layer } from "effect"
import { Assets } from "../../../domain/asset/Assets.ts"
import { Links } from "../../../domain/backlink/Links.ts"
import * as LinkFetchConsumer from "../../../domain/link/LinkFetchConsumer.ts"
import { LinkFetching } from "../../../domain/link/LinkFetching.ts"
import { LinkFetchSignal } from "../../../domain/link/LinkFetchStore.ts"
import { InternalErrors } from "../../../domain/operations/InternalErrors.ts"
import * as LinksHandlers from "../../../http/link/LinksHandlers.ts"
import * as LinkFetchStoreSql from "../../../persistence/link/LinkFetchStoreSql.ts"
import * as LinkStoreSql from "../../../persistence/link/LinkStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const link = {
  ...empty,
  stores: Layer.mergeAll(LinkStoreSql.layer, LinkFetchStoreSql.layer).pipe(
    Layer.provideMerge(LinkFetchSignal.layer)
  ),
  services: Layer.mergeAll(
    Links.layer,
    LinkFetching.layer.pipe(Layer.provide(Layer.merge(Assets.layer, InternalErrors.layer)))
  ),
  handlers: LinksHandlers.layer,
  consumers: Effect.all([LinkFetchConsumer.make]),
  workers: Effect.all([
    Effect.map(LinkFetching, ({ drain, follow }) => ({
      name: "fetch the pages of links",
      run: follow,
      drain
    }))
  ])
} satisfies Area
