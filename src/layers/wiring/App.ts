/** The whole service except its database, its settings, its clock and its randomness. */
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { InstanceSettings } from "../../domain/settings/InstanceSettings.ts"
import { Ids } from "../../domain/shared/Ids.ts"
import { Sanitiser } from "../../domain/text/Sanitiser.ts"
import { ForumApi } from "../../http/Api.ts"
import { StreamedBodies } from "../../http/bytes/StreamedBodies.ts"
import * as DiscoveryRoutes from "../../http/discovery/DiscoveryRoutes.ts"
import * as CallbackPage from "../../http/elsewhere/CallbackPage.ts"
import * as IdempotencyMiddleware from "../../http/idempotency/IdempotencyMiddleware.ts"
import * as FrontRoutes from "../../http/instance/FrontRoutes.ts"
import * as MailAvailability from "../../http/mail/MailAvailability.ts"
import * as McpRoutes from "../../http/mcp/McpRoutes.ts"
import * as HealthRoutes from "../../http/operations/HealthRoutes.ts"
import { PageDocuments } from "../../http/page/PageDocuments.ts"
import * as PageRoutes from "../../http/page/PageRoutes.ts"
import { Pages } from "../../http/page/Pages.ts"
import { Admission } from "../../http/pipeline/Admission.ts"
import * as Authentication from "../../http/pipeline/Authentication.ts"
import { InFlight } from "../../http/pipeline/InFlight.ts"
import { methodTable } from "../../http/pipeline/MethodTable.ts"
import * as ProblemResponses from "../../http/pipeline/ProblemResponses.ts"
import { RateLimits } from "../../http/pipeline/RateLimits.ts"
import * as RequestPipeline from "../../http/pipeline/RequestPipeline.ts"
import * as ShadowedRoutes from "../../http/pipeline/ShadowedRoutes.ts"
import * as PluginAvailability from "../../http/plugin/PluginAvailability.ts"
import * as ReturnPage from "../../http/remoteresource/ReturnPage.ts"
import * as SmsAvailability from "../../http/sms/SmsAvailability.ts"

import { EventConsumers } from "../../persistence/event/EventConsumersSql.ts"
import * as StorageHealthSql from "../../persistence/operations/StorageHealthSql.ts"
import * as TransactionSql from "../../persistence/shared/TransactionSql.ts"
import * as DescriptionThread from "../adapters/description/DescriptionThread.ts"
import * as PluginSockets from "../adapters/plugins/sockets/PluginSockets.ts"
import * as SanitiserThreads from "../adapters/sanitiser/SanitiserThreads.ts"
import { Chores } from "../process/Housekeeping.ts"
import { Workers } from "../process/Workers.ts"
import { mergedLayers } from "./areas/Area.ts"
import * as areas from "./areas/index.ts"

/** Answers a request. */
class Answer extends Context.Service<
  Answer,
  Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    unknown,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
>()("forum/layers/Answer") {}

const all = Object.values(areas)

/** The stores that the domain needs, in the database. */
export const stores = mergedLayers(all.map((area) => area.stores)).pipe(
  Layer.provideMerge(Layer.mergeAll(TransactionSql.layer, Ids.layer))
)

/** The services of the domain, over the stores. */
export const services = mergedLayers(all.map((area) => area.services)).pipe(
  Layer.provide(Sanitiser.layer.pipe(Layer.provide(SanitiserThreads.layer)))
)

/** The consumers of events, over the services and stores. */
export const consumers = EventConsumers.layer(
  Effect.map(Effect.all(all.map((area) => area.consumers)), (lists) => lists.flat())
)

const chores = Chores.layer(Effect.map(Effect.all(all.map((area) => area.chores)), (lists) => lists.flat()))

const workers = Workers.layer(
  Effect.map(Effect.all(all.map((area) => area.workers)), (lists) => lists.flat())
)

const handlers = mergedLayers(all.map((area) => area.handlers)).pipe(
  Layer.provide(
    Layer.mergeAll(
      Authentication.layer,
      IdempotencyMiddleware.layer,
      MailAvailability.layer,
      SmsAvailability.layer,
      PageDocuments.layer,
      PluginAvailability.layer,
      ProblemResponses.layer
    )
  )
)

const routes = Layer.mergeAll(
  HttpApiBuilder.layer(ForumApi).pipe(Layer.provide(handlers)),
  HealthRoutes.layer.pipe(Layer.provide(StorageHealthSql.layer)),
  FrontRoutes.layer.pipe(Layer.provide([InstanceSettings.layer, PageDocuments.layer])),
  DiscoveryRoutes.layer,
  McpRoutes.layer.pipe(Layer.provide(DescriptionThread.layer)),
  PluginSockets.layer.pipe(Layer.provide(InstanceSettings.layer)),
  Layer.mergeAll(CallbackPage.layer, ReturnPage.layer, PageRoutes.layer).pipe(Layer.provide(Pages.layer)),
  ShadowedRoutes.layer(ForumApi)
)

const router = HttpRouter.layer.pipe(
  Layer.provide(
    Layer.succeed(HttpRouter.RouterConfig, {
      caseSensitive: true,
      // Caches and rules of proxies tell these addresses apart.
      ignoreDuplicateSlashes: false,
      // Marks hold whole titles, whose letters may take nine characters each in an address.
      maxParamLength: 16_384
    })
  )
)

const answer = Layer.effect(
  Answer,
  Effect.gen(function* () {
    const deployment = yield* Deployment
    const app = (yield* HttpRouter.HttpRouter).asHttpEffect()
    const pipeline = yield* RequestPipeline.make(
      methodTable(ForumApi, {
        ...HealthRoutes.paths,
        ...FrontRoutes.paths,
        ...DiscoveryRoutes.paths,
        ...McpRoutes.pathsOf(deployment),
        ...CallbackPage.paths,
        ...ReturnPage.paths,
        ...PageRoutes.pathsOf(deployment)
      })
    )
    return pipeline(app)
  })
).pipe(
  Layer.provide(routes),
  Layer.provide(router),
  Layer.provideMerge(Layer.mergeAll(InFlight.layer, Admission.layer, RateLimits.layer, StreamedBodies.layer)),
  Layer.provideMerge(Layer.mergeAll(consumers, chores, workers)),
  Layer.provideMerge(services)
)

// Each request begins with a copy of the services that the server was started with. Handlers have taken what they need
// when they were built, so the server gets none of them, which are more than a hundred.
const answerOnly = Layer.effect(Answer, Effect.service(Answer))
const served = Layer.effectDiscard(Effect.flatMap(Answer, (answer) => HttpServer.serveEffect(answer)))

/**
 * Serves the API on the `HttpServer` in scope, over these stores or others.
 * Events are followed only where `EventConsumers.following` is added, chores
 * are done only where `Housekeeping.live` is, and workers run only where
 * `Workers.live` is.
 */
export const over = <E, R>(storage: Layer.Layer<Layer.Success<typeof stores>, E, R>) => {
  const app = Layer.provideMerge(answer, storage)
  return Layer.merge(app, Layer.provide(served, Layer.provide(answerOnly, app)))
}

export const layer = over(stores)
