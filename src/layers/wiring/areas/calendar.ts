import { Effect, Layer } from "effect"
import { Calendar } from "../../../domain/calendar/Calendar.ts"
import { makeCalendarNotifications } from "../../../domain/calendar/CalendarNotifications.ts"
import { CalendarViews } from "../../../domain/calendar/CalendarViews.ts"
import { Participants } from "../../../domain/calendar/Participants.ts"
import { ContentFilter } from "../../../domain/filter/ContentFilter.ts"
import { ThreadViews } from "../../../domain/thread/ThreadViews.ts"
import { TextCache } from "../../../http/bytes/TextCache.ts"
import * as CalendarAuthentication from "../../../http/calendar/CalendarAuthentication.ts"
import * as CalendarHandlers from "../../../http/calendar/CalendarHandlers.ts"
import * as CalendarStoreSql from "../../../persistence/calendar/CalendarStoreSql.ts"
import { type Area, empty } from "./Area.ts"

const views = CalendarViews.layer.pipe(Layer.provide(ThreadViews.layer))

export const calendar = {
  ...empty,
  stores: CalendarStoreSql.layer,
  services: Layer.mergeAll(Calendar.layer, Participants.layer).pipe(
    Layer.provideMerge(views),
    Layer.provide(ContentFilter.layer)
  ),
  handlers: CalendarHandlers.layer.pipe(
    Layer.provide(Layer.mergeAll(CalendarAuthentication.layer, TextCache.layer))
  ),
  consumers: Effect.all([makeCalendarNotifications])
} satisfies Area
