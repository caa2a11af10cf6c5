/** What administrators may do with the mails that the service sends. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { EmailId } from "../shared/Id.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { Transaction } from "../storage/Transaction.ts"
import { EmailNotFailed, EmailNotFound, type EmailQueueListResult } from "./EmailQueueItem.ts"
import { type EmailFilter, EmailQueueStore, pageSize } from "./EmailQueueStore.ts"

const make = Effect.gen(function* () {
  const store = yield* EmailQueueStore
  const transaction = yield* Transaction

  const list = Effect.fn("EmailQueue.list")(function* (filter: EmailFilter, place: ListPlace) {
    const { emails, ...extent } = yield* store.list(filter, place)
    const envelope = listEnvelope({ ...extent, place, size: pageSize, results: emails.length })
    return { ...envelope, emails } satisfies EmailQueueListResult
  })

  /** Lets a mail be tried once more that could not be sent. */
  const retry = Effect.fn("EmailQueue.retry")(function* (id: EmailId) {
    const writes = Effect.gen(function* () {
      const isRetried = yield* store.retry(id, 1, yield* DateTime.now)
      const found = yield* store.find(id)
      if (Option.isNone(found)) return yield* new EmailNotFound({ metadata: { email_id: id } })
      const { status } = found.value
      return isRetried ? found.value : yield* new EmailNotFailed({ metadata: { email_id: id, status } })
    })
    return yield* transaction(writes)
  })

  return { list, retry } as const
})

export class EmailQueue extends Context.Service<EmailQueue, Effect.Success<typeof make>>()(
  "forum/domain/EmailQueue"
) {
  static readonly layer = Layer.effect(EmailQueue, make)
}
