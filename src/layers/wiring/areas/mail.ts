import { Duration, Effect, Layer } from "effect"
import { EmailQueue } from "../../../domain/mail/EmailQueue.ts"
import { MailSignal } from "../../../domain/mail/EmailQueueStore.ts"
import * as MailOutbox from "../../../domain/mail/MailOutbox.ts"
import { MailSending } from "../../../domain/mail/MailSending.ts"
import * as MailHandlers from "../../../http/mail/MailHandlers.ts"
import * as EmailQueueStoreSql from "../../../persistence/mail/EmailQueueStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const mail = {
  ...empty,
  // Rules of other areas leave mails in the outbox as they leave rows in stores.
  stores: MailOutbox.layer.pipe(
    Layer.provideMerge(EmailQueueStoreSql.layer),
    Layer.provideMerge(MailSignal.layer)
  ),
  services: Layer.merge(EmailQueue.layer, MailSending.layer),
  handlers: MailHandlers.layer,
  chores: Effect.all([
    Effect.map(MailSending, ({ clean }) => ({
      name: "remove old mails",
      every: Duration.hours(1),
      run: clean
    }))
  ]),
  workers: Effect.all([
    Effect.map(MailSending, ({ drain, follow }) => ({ name: "send mails", run: follow, drain }))
  ])
} satisfies Area
