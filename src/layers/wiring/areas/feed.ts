import { Layer } from "effect"
import { CalendarAddresses } from "../../../domain/feed/CalendarAddresses.ts"
import { CalendarFeeds } from "../../../domain/feed/CalendarFeeds.ts"
import { LibraryFeed } from "../../../domain/feed/LibraryFeed.ts"
import { ThreadFeeds } from "../../../domain/feed/ThreadFeeds.ts"
import { TextCache } from "../../../http/bytes/TextCache.ts"
import * as FeedsHandlers from "../../../http/feed/FeedsHandlers.ts"
import * as CalendarAddressStoreSql from "../../../persistence/feed/CalendarAddressStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const feed = {
  ...empty,
  stores: CalendarAddressStoreSql.layer,
  services: Layer.mergeAll(
    ThreadFeeds.layer,
    LibraryFeed.layer,
    CalendarFeeds.layer,
    CalendarAddresses.layer
  ),
  handlers: FeedsHandlers.layer.pipe(Layer.provide(TextCache.layer))
} satisfies Area
