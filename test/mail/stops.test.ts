/** What becomes of a mail that is being sent when the service stops or crashes. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { EmailQueueStore } from "../../src/domain/mail/EmailQueueStore.ts"
import { Mailbox } from "../support/mailbox.ts"
import * as People from "../support/people.ts"
import { enqueue, inTransaction, itemTo, rowOf } from "./support.ts"

layer(People.layer)("a stop of the service", (it) => {
  it.effect("in the midst of sending puts the mail back, which is sent again under the same Message-ID", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const address = "stopped@example.com"
      yield* enqueue(address)
      mailbox.behaviour.current = { _tag: "Hold" }
      const sending = yield* Effect.forkChild(mailbox.deliver)
      yield* mailbox.untilReceived(1)
      yield* Fiber.interrupt(sending)
      assert.deepInclude(yield* itemTo(address), { status: "pending", attempts: [] })
      assert.deepInclude(yield* rowOf(address), { tries: 0 })
      yield* mailbox.release
      yield* mailbox.deliver
      const [first, second, ...rest] = mailbox.received
      assert.deepStrictEqual(rest, [])
      assert.strictEqual(first?.messageId, second?.messageId)
      assert.deepInclude(yield* itemTo(address), { status: "sent" })
    })
  )

  it.effect("that is a crash lets the mail be sent after two minutes", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const store = yield* EmailQueueStore
      const address = "crashed@example.com"
      yield* enqueue(address)
      const now = yield* DateTime.now
      assert.isDefined(yield* store.take(now, DateTime.add(now, { minutes: 2 })))
      assert.deepInclude(yield* itemTo(address), { status: "processing", attempts: [] })
      yield* TestClock.adjust("119 seconds")
      yield* mailbox.deliver
      assert.deepInclude(yield* itemTo(address), { status: "processing" })
      yield* TestClock.adjust("1 second")
      yield* mailbox.deliver
      const sent = yield* itemTo(address)
      assert.deepInclude(sent, { status: "sent" })
      assert.deepStrictEqual(
        sent.attempts.map(({ error, status }: { readonly error?: string; readonly status: string }) => [
          status,
          error
        ]),
        [
          ["failed", "The service ended while it sent the mail"],
          ["sent", undefined]
        ]
      )
    })
  )

  it.effect("at each try parks the mail, which perhaps causes it", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const store = yield* EmailQueueStore
      const address = "deadly@example.com"
      yield* enqueue(address)
      for (let tries = 1; tries <= 6; tries++) {
        const now = yield* DateTime.now
        assert.strictEqual((yield* store.take(now, DateTime.add(now, { minutes: 2 })))?.tries, tries)
        yield* TestClock.adjust("2 minutes")
      }
      yield* mailbox.clear
      yield* mailbox.deliver
      assert.deepStrictEqual(mailbox.received, [])
      assert.deepInclude(yield* itemTo(address), { status: "failed" })
      assert.deepInclude(yield* rowOf(address), { waits: false })
    })
  )

  it.effect("does not let the one that was too slow finish what another has taken since", () =>
    Effect.gen(function* () {
      const store = yield* EmailQueueStore
      const address = "twice@example.com"
      yield* enqueue(address)
      const start = yield* DateTime.now
      const later = DateTime.add(start, { minutes: 2 })
      const take = (at: DateTime.Utc) =>
        Effect.map(
          store.take(at, DateTime.add(at, { minutes: 2 })),
          (taken) => taken ?? assert.fail("nothing is due")
        )
      const first = yield* take(start)
      assert.isUndefined(yield* store.take(start, later))
      const second = yield* take(later)
      yield* inTransaction(store.finish(first, { _tag: "Sent" }, undefined, later))
      yield* inTransaction(store.giveBack(first, later))
      assert.deepInclude(yield* rowOf(address), { status: "processing", attempts: 2 })
      yield* inTransaction(store.giveBack(second, later))
      // Nor what it has put back itself.
      yield* inTransaction(store.finish(second, { _tag: "Sent" }, undefined, later))
      assert.deepInclude(yield* rowOf(address), { status: "pending", attempts: 2 })
      const third = yield* take(later)
      yield* inTransaction(store.finish(third, { _tag: "Sent" }, undefined, later))
      assert.deepInclude(yield* rowOf(address), { status: "sent" })
    })
  )

  it.effect("leaves a mail to one sender, while others take those that nobody sends", () =>
    Effect.gen(function* () {
      const store = yield* EmailQueueStore
      const context = yield* Effect.context<never>()
      const addresses = ["older@example.com", "newer@example.com"]
      for (const address of addresses) {
        yield* enqueue(address)
        yield* TestClock.adjust("1 second")
      }
      const now = yield* DateTime.now
      const take = store.take(now, DateTime.add(now, { minutes: 2 }))
      // On another connection, which does not wait for the first one.
      const elsewhere = Effect.promise(() => Effect.runPromiseWith(context)(take))
      const taken = yield* inTransaction(Effect.all([take, elsewhere]))
      assert.deepStrictEqual(
        taken.map((one) => one?.mail.address),
        addresses
      )
    })
  )
})
