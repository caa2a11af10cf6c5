/** The outbox: what it is given is put in the queue, in the transaction that causes it. */
import { DateTime, Effect, Layer, Option } from "effect"
import { type Client, nameOfClient } from "../shared/Client.ts"
import { EmailId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { EmailQueueStore } from "./EmailQueueStore.ts"
import { recipientLimit, secondsUntilFree } from "./MailRules.ts"
import { neutralName, recipientKey, subjectLine } from "./MailText.ts"
import { MailTransport } from "./MailTransport.ts"
import { type Mail, MailLimitReached, Outbox } from "./Outbox.ts"

const make = Effect.gen(function* () {
  const transport = yield* MailTransport
  const store = yield* EmailQueueStore
  const ids = yield* Ids

  const enqueue = Effect.fn("Outbox.enqueue")(function* (
    { address, html, name, subject, text }: Mail,
    client: Client
  ) {
    const queuedAt = yield* DateTime.now
    const mail = {
      id: EmailId.make(yield* ids.next),
      queuedAt,
      address,
      name: neutralName(name),
      subject: subjectLine(subject),
      text,
      html
    }
    const since = DateTime.subtractDuration(queuedAt, recipientLimit.within)
    const { each, together } = recipientLimit
    const recipient = { key: recipientKey(address), client: nameOfClient(client) }
    const full = yield* store.enqueue(mail, recipient, { each, together, since })
    if (Option.isNone(full)) return
    const retry_after = secondsUntilFree(full.value, queuedAt)
    return yield* new MailLimitReached({ metadata: { retry_after } })
  })

  return Outbox.of({ enabled: transport !== undefined, enqueue })
})

export const layer = Layer.effect(Outbox, make)
