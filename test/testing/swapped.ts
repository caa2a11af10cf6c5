/** What docs/testing.md shows of other implementations. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MailTransport } from "../../src/domain/mail/MailTransport.ts"
import { TagStore } from "../../src/domain/tag/TagStore.ts"
import { Forum } from "../../src/testing/Forum.ts"
import { storesBut } from "../../src/testing/Stores.ts"

/** Time begins in 1970, and passes when `TestClock.adjust` says so. */
const clock = TestClock.layer()

/** Nobody finds any tag. */
const stores = storesBut(TagStore, (usual) => ({ ...usual, findByName: () => Effect.succeedNone }))

/** Mails are kept in a list. */
export const sent: Array<string> = []
const mailer = Layer.succeed(MailTransport, {
  check: Effect.void,
  send: ({ address, subject }) =>
    Effect.sync(() => {
      sent.push(`${address}: ${subject}`)
    })
})

export const swapped = Forum.layer({ stores, ports: Layer.merge(clock, mailer) })
