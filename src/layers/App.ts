/** The whole service but for its database, its settings and the sources of time and chance. */
import { Effect, Layer } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../domain/account/Accounts.ts"
import { AttemptLimit } from "../domain/authentication/AttemptLimit.ts"
import { PasswordAuth } from "../domain/authentication/PasswordAuth.ts"
import { PasswordHashing } from "../domain/authentication/PasswordHashing.ts"
import { Categories } from "../domain/category/Categories.ts"
import { Deployment } from "../domain/instance/Deployment.ts"
import { Instance } from "../domain/instance/Instance.ts"
import { AuditLog } from "../domain/moderation/AuditLog.ts"
import { Notifications } from "../domain/notification/Notifications.ts"
import { Roles } from "../domain/role/Roles.ts"
import { Sessions } from "../domain/session/Sessions.ts"
import { Ids } from "../domain/shared/Id.ts"
import { Posts } from "../domain/thread/Posts.ts"
import { Threads } from "../domain/thread/Threads.ts"
import { ThreadViews } from "../domain/thread/ThreadViews.ts"
import { ForumApi } from "../http/Api.ts"
import * as AccountsHandlers from "../http/account/AccountsHandlers.ts"
import * as AuthenticationHandlers from "../http/authentication/AuthenticationHandlers.ts"
import * as CategoriesHandlers from "../http/category/CategoriesHandlers.ts"
import * as InstanceHandlers from "../http/instance/InstanceHandlers.ts"
import * as NotificationsHandlers from "../http/notification/NotificationsHandlers.ts"
import * as RolesHandlers from "../http/role/RolesHandlers.ts"
import * as Authentication from "../http/shared/Authentication.ts"
import { InFlight } from "../http/shared/InFlight.ts"
import { methodTable } from "../http/shared/MethodTable.ts"
import * as ProblemResponses from "../http/shared/ProblemResponses.ts"
import * as RequestPipeline from "../http/shared/RequestPipeline.ts"
import { TextCache } from "../http/shared/TextCache.ts"
import * as ThreadAuthentication from "../http/thread/ThreadAuthentication.ts"
import * as ThreadsHandlers from "../http/thread/ThreadsHandlers.ts"
import * as AccountStoreSql from "../persistence/account/AccountStoreSql.ts"
import { People } from "../persistence/account/People.ts"
import * as PasswordStoreSql from "../persistence/authentication/PasswordStoreSql.ts"
import * as CategoryStoreSql from "../persistence/category/CategoryStoreSql.ts"
import { EventConsumers } from "../persistence/event/EventConsumersSql.ts"
import * as EventLogSql from "../persistence/event/EventLogSql.ts"
import * as InstanceStoreSql from "../persistence/instance/InstanceStoreSql.ts"
import * as AuditStoreSql from "../persistence/moderation/AuditStoreSql.ts"
import * as NotificationStoreSql from "../persistence/notification/NotificationStoreSql.ts"
import * as RoleStoreSql from "../persistence/role/RoleStoreSql.ts"
import * as SessionStoreSql from "../persistence/session/SessionStoreSql.ts"
import * as TransactionSql from "../persistence/shared/TransactionSql.ts"
import * as PostStoreSql from "../persistence/thread/PostStoreSql.ts"
import * as ThreadStoreSql from "../persistence/thread/ThreadStoreSql.ts"
import * as Operations from "./Operations.ts"

/** What the domain needs from storage, in the database. */
export const stores = Layer.mergeAll(
  AccountStoreSql.layer,
  AuditStoreSql.layer,
  CategoryStoreSql.layer,
  EventLogSql.layer,
  InstanceStoreSql.layer,
  NotificationStoreSql.layer,
  PasswordStoreSql.layer,
  PostStoreSql.layer,
  RoleStoreSql.layer,
  SessionStoreSql.layer,
  ThreadStoreSql.layer,
  TransactionSql.layer
).pipe(
  Layer.provide(People.layer),
  Layer.provideMerge(Layer.mergeAll(Ids.layer, EventLogSql.EventSignal.layer))
)

const domain = Layer.mergeAll(
  Accounts.layer,
  AuditLog.layer,
  Categories.layer,
  Instance.layer,
  Notifications.layer,
  PasswordAuth.layer,
  Posts.layer,
  Roles.layer
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      AttemptLimit.layer,
      PasswordHashing.layer,
      Sessions.layer,
      Threads.layer,
      ThreadViews.layer
    )
  )
)

const consumers = EventConsumers.layer(
  Effect.gen(function* () {
    return [(yield* Notifications).consumer, (yield* AuditLog).consumer]
  })
)

const handlers = Layer.mergeAll(
  AccountsHandlers.layer,
  AuthenticationHandlers.layer,
  CategoriesHandlers.layer,
  InstanceHandlers.layer,
  NotificationsHandlers.layer,
  RolesHandlers.layer,
  ThreadsHandlers.posts,
  ThreadsHandlers.replies,
  ThreadsHandlers.threads
).pipe(
  Layer.provide(
    Layer.mergeAll(Authentication.layer, ThreadAuthentication.layer, ProblemResponses.layer, TextCache.layer)
  )
)

const routes = Layer.mergeAll(HttpApiBuilder.layer(ForumApi).pipe(Layer.provide(handlers)), Operations.layer)

// Marks hold whole titles, whose letters may take nine characters each in an address.
const router = HttpRouter.layer.pipe(
  Layer.provide(Layer.succeed(HttpRouter.RouterConfig, { caseSensitive: true, maxParamLength: 16_384 }))
)

const served = Layer.effectDiscard(
  Effect.gen(function* () {
    const app = (yield* HttpRouter.HttpRouter).asHttpEffect()
    const edge = yield* RequestPipeline.make(methodTable(ForumApi, Operations.paths))
    const deployment = yield* Deployment
    const behindProxies = HttpMiddleware.xForwardedHeaders(deployment)
    yield* HttpServer.serveEffect(
      deployment.trustedProxies.length === 0 ? edge(app) : behindProxies(edge(app))
    )
  })
).pipe(
  Layer.provide(routes),
  Layer.provide(router),
  Layer.provideMerge(InFlight.layer),
  Layer.provideMerge(consumers),
  Layer.provideMerge(domain)
)

/**
 * Serves the API on whatever `HttpServer` there is, over stores that may be
 * others than ours. Events are followed only where `EventConsumers.following`
 * is added.
 */
export const over = <E, R>(storage: Layer.Layer<Layer.Success<typeof stores>, E, R>) =>
  Layer.provideMerge(served, storage)

export const layer = over(stores)
