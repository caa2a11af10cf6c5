import { Effect } from "effect"
import * as AccountNotifications from "../../../domain/notification/AccountNotifications.ts"
import * as NotificationConsumer from "../../../domain/notification/NotificationConsumer.ts"
import { Notifications } from "../../../domain/notification/Notifications.ts"
import * as WebhookNotifications from "../../../domain/notification/WebhookNotifications.ts"
import * as NotificationsHandlers from "../../../http/notification/NotificationsHandlers.ts"
import * as NotificationStoreSql from "../../../persistence/notification/NotificationStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const notification = {
  ...empty,
  stores: NotificationStoreSql.layer,
  services: Notifications.layer,
  handlers: NotificationsHandlers.layer,
  consumers: Effect.all([
    NotificationConsumer.make,
    NotificationConsumer.makeRevealed,
    WebhookNotifications.make,
    AccountNotifications.make
  ])
} satisfies Area
