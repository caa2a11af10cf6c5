import { Duration, Effect, Layer } from "effect"
import { ContentFilter } from "../../../domain/filter/ContentFilter.ts"
import { PostLocations } from "../../../domain/thread/PostLocations.ts"
import { Posts } from "../../../domain/thread/Posts.ts"
import { Threads } from "../../../domain/thread/Threads.ts"
import { ThreadViews } from "../../../domain/thread/ThreadViews.ts"
import { TextCache } from "../../../http/bytes/TextCache.ts"
import * as ThreadAuthentication from "../../../http/thread/ThreadAuthentication.ts"
import * as ThreadsHandlers from "../../../http/thread/ThreadsHandlers.ts"
import * as MentionStoreSql from "../../../persistence/thread/MentionStoreSql.ts"
import * as PostStoreSql from "../../../persistence/thread/PostStoreSql.ts"
import { ThreadMoveRetention } from "../../../persistence/thread/ThreadMoveRetentionSql.ts"
import * as ThreadStoreSql from "../../../persistence/thread/ThreadStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const thread = {
  ...empty,
  stores: Layer.mergeAll(ThreadStoreSql.layer, PostStoreSql.layer, MentionStoreSql.layer),
  services: Layer.mergeAll(
    Threads.layer,
    ThreadViews.layer,
    Posts.layer,
    PostLocations.layer,
    ThreadMoveRetention.layer
  ).pipe(Layer.provide(ContentFilter.layer)),
  handlers: Layer.mergeAll(ThreadsHandlers.threads, ThreadsHandlers.replies, ThreadsHandlers.posts).pipe(
    Layer.provide(Layer.mergeAll(ThreadAuthentication.layer, TextCache.layer))
  ),
  chores: Effect.map(ThreadMoveRetention, ({ apply }) => [
    { name: "forget where threads were more than a month ago", every: Duration.hours(1), run: apply }
  ])
} satisfies Area
