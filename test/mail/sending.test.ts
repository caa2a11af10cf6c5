/** Mails are sent once their cause is committed, and tried again until the server takes them. */
import { NodeCrypto } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailSending, parallelMails } from "../../src/domain/mail/MailSending.ts"
import { Outbox } from "../../src/domain/mail/Outbox.ts"
import { type Answer, ok } from "../support/answers.ts"
import { Mailbox } from "../support/mailbox.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { enqueue, inTransaction, itemTo, mail, retry, rowOf, stranger } from "./support.ts"

/** Another instance of the service on the same database. */
const otherInstance = Layer.build(Layer.fresh(MailSending.layer.pipe(Layer.provide(NodeCrypto.layer))))

const refusing = { _tag: "Refuse", code: 450, message: "Mailbox busy" } as const

layer(People.layer)("a mail", (it) => {
  it.effect("arrives as text and as HTML, and is shown as sent, without its bodies", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      yield* enqueue("freya@example.com", {
        text: "Code: 123456\n\nÜber ❤\n.",
        html: "<p>Code: <b>123456</b></p>"
      })
      const waiting = yield* itemTo("freya@example.com")
      assert.deepInclude(waiting, {
        status: "pending",
        attempts: [],
        recipient_name: "Freya",
        subject: "Hello"
      })
      assert.notProperty(waiting, "processed_at")
      yield* TestClock.adjust("1 second")
      const got = yield* mailbox.mailTo("freya@example.com")
      assert.deepStrictEqual(got.to, ["freya@example.com"])
      assert.strictEqual(got.text.trim(), "Code: 123456\n\nÜber ❤\n.")
      assert.strictEqual(got.html.trim(), "<p>Code: <b>123456</b></p>")
      assert.strictEqual(got.header("from"), "Forum <forum@forum.test>")
      assert.strictEqual(got.header("to"), "Freya <freya@example.com>")
      assert.strictEqual(got.subject, "Hello")
      assert.strictEqual(got.header("auto-submitted"), "auto-generated")
      assert.strictEqual(Date.parse(got.header("date") ?? ""), Date.parse(waiting.queued_at))
      assert.strictEqual(got.messageId, `<${waiting.id}@forum.test>`)
      const sent = yield* itemTo("freya@example.com")
      const at = "1970-01-01T00:00:01.000Z"
      assert.deepStrictEqual(sent, {
        ...waiting,
        status: "sent",
        updated_at: at,
        processed_at: at,
        attempts: [{ timestamp: at, status: "sent" }]
      })
      assert.deepInclude(yield* rowOf("freya@example.com"), {
        text_body: null,
        html_body: null,
        waits: false
      })
      yield* mailbox.deliver
      assert.lengthOf(mailbox.received, 1)
    })
  )

  it.effect("never was one if what caused it failed", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      yield* mailbox.clear
      const outbox = yield* Outbox
      const failing = Effect.andThen(
        outbox.enqueue(mail("undone@example.com"), stranger),
        Effect.fail("undone")
      )
      yield* Effect.flip(inTransaction(failing))
      yield* mailbox.deliver
      assert.deepStrictEqual(mailbox.received, [])
      assert.isUndefined(yield* rowOf("undone@example.com"))
      // Nor does it count.
      for (let n = 0; n < 5; n++) yield* enqueue("undone@example.com")
    })
  )

  it.effect("that fails is tried five times more, a minute apart, and then only when asked for", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const address = "busy@example.com"
      mailbox.behaviour.current = refusing
      yield* enqueue(address)
      for (let tries = 1; tries <= 6; tries++) {
        yield* mailbox.deliver
        const item = yield* itemTo(address)
        assert.strictEqual(item.status, "failed")
        assert.notProperty(item, "processed_at")
        assert.lengthOf(item.attempts, tries)
        const last = item.attempts.at(-1)
        assert.deepInclude(last, { status: "failed", timestamp: item.updated_at })
        assert.include(last.error, "450")
        assert.include(last.error, "Mailbox busy")
        yield* TestClock.adjust("59 seconds")
        yield* mailbox.deliver
        assert.lengthOf((yield* itemTo(address)).attempts, tries)
        yield* TestClock.adjust("1 second")
      }
      yield* TestClock.adjust("1 day")
      yield* mailbox.deliver
      const parked = yield* itemTo(address)
      assert.lengthOf(parked.attempts, 6)
      const { odin } = yield* Cast
      const { events } = ok(yield* odin.get("/admin/audit-events?types=internal_error"))
      assert.deepStrictEqual(
        events.map(({ where }: Answer["json"]) => where),
        ["mail"]
      )
      assert.notInclude(JSON.stringify(events), address)

      // Each further try is asked for.
      const pending = ok(yield* retry(parked.id))
      assert.deepInclude(pending, { status: "pending", attempts: parked.attempts })
      yield* mailbox.deliver
      assert.lengthOf((yield* itemTo(address)).attempts, 7)
      yield* TestClock.adjust("1 day")
      yield* mailbox.deliver
      assert.lengthOf((yield* itemTo(address)).attempts, 7)
      yield* mailbox.release
      ok(yield* retry(parked.id))
      yield* mailbox.deliver
      const sent = yield* itemTo(address)
      assert.deepInclude(sent, { status: "sent", processed_at: sent.updated_at })
      assert.deepStrictEqual(
        sent.attempts.map(({ status }: { readonly status: string }) => status),
        [...Array.from({ length: 7 }, () => "failed"), "sent"]
      )
      assert.notProperty(sent.attempts.at(-1), "error")
    })
  )

  it.effect("that an administrator asks for early has its other tries still", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const address = "early@example.com"
      mailbox.behaviour.current = refusing
      yield* enqueue(address)
      yield* mailbox.deliver
      ok(yield* retry((yield* itemTo(address)).id))
      yield* mailbox.deliver
      assert.lengthOf((yield* itemTo(address)).attempts, 2)
      yield* mailbox.release
      yield* TestClock.adjust("1 minute")
      yield* mailbox.deliver
      assert.deepInclude(yield* itemTo(address), { status: "sent" })
    })
  )

  it.effect("keeps its last twenty attempts", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const address = "never@example.com"
      mailbox.behaviour.current = { _tag: "Refuse", code: 550, message: "No such user" }
      yield* enqueue(address)
      yield* mailbox.deliver
      const { id } = yield* itemTo(address)
      for (let n = 0; n < 24; n++) {
        ok(yield* retry(id))
        yield* mailbox.deliver
      }
      assert.lengthOf((yield* itemTo(address)).attempts, 20)
      assert.deepInclude(yield* rowOf(address), { attempts: 25 })
      yield* mailbox.clear
    })
  )

  it.effect("is tried again when the server ends the connection, or cannot be reached in time", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const address = "dropped@example.com"
      mailbox.behaviour.current = { _tag: "Drop" }
      yield* enqueue(address)
      yield* mailbox.deliver
      assert.deepInclude(yield* itemTo(address), { status: "failed" })

      yield* mailbox.clear
      mailbox.behaviour.current = { _tag: "Hold" }
      yield* TestClock.adjust("1 minute")
      const sending = yield* Effect.forkChild(mailbox.deliver)
      yield* mailbox.untilReceived(1)
      assert.deepInclude(yield* itemTo(address), { status: "processing" })
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(sending)
      const slow = yield* itemTo(address)
      assert.deepInclude(slow, { status: "failed" })
      assert.strictEqual(slow.attempts.at(-1).error, "The mail server was too slow")

      yield* mailbox.release
      yield* TestClock.adjust("1 minute")
      yield* mailbox.deliver
      assert.deepInclude(yield* itemTo(address), { status: "sent" })
    })
  )
})

layer(People.layer)("mails", (it) => {
  it.effect("are sent by one of several instances each", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const others = yield* Effect.all([otherInstance, otherInstance])
      const addresses = Array.from({ length: 30 }, (_, n) => `n${n}@example.com`)
      for (const address of addresses) yield* enqueue(address)
      const drains = [mailbox.deliver, ...others.map((context) => Effect.provide(mailbox.deliver, context))]
      yield* Effect.all(drains, { concurrency: "unbounded" })
      assert.sameMembers(
        mailbox.received.flatMap(({ to }) => to),
        addresses
      )
    })
  )

  it.effect("are sent at once when there are some, a few at a time, and requests do not wait for them", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      yield* mailbox.clear
      mailbox.behaviour.current = { _tag: "Hold" }
      mailbox.connections.most = 0
      const { follow } = yield* MailSending
      const worker = yield* Effect.forkChild(follow)
      const addresses = Array.from({ length: 3 * parallelMails }, (_, n) => `m${n}@example.com`)
      for (const address of addresses) yield* enqueue(address)
      yield* mailbox.untilReceived(parallelMails)
      assert.strictEqual((yield* itemTo("m0@example.com")).status, "processing")
      yield* mailbox.release
      yield* mailbox.untilReceived(addresses.length)
      assert.strictEqual(mailbox.connections.most, parallelMails)
      assert.lengthOf(mailbox.received, addresses.length)
      yield* Fiber.interrupt(worker)
    })
  )

  it.effect("are removed after 30 days, unless they wait to be sent", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const { clean } = yield* MailSending
      const sql = yield* SqlClient.SqlClient
      yield* mailbox.clear
      yield* mailbox.deliver
      yield* enqueue("sent@example.com")
      yield* mailbox.deliver
      yield* TestClock.adjust("1 minute")
      yield* enqueue("waiting@example.com")
      const left = Effect.map(
        sql`select recipient_address as address from email_queue
        where recipient_address in ('sent@example.com', 'waiting@example.com') order by 1`,
        (rows) => rows.length
      )
      yield* TestClock.adjust("43199 minutes")
      yield* sql`insert into email_queue
          (id, queued_at, updated_at, status, recipient_address, recipient_name, subject, text_body, html_body)
        select 'old' || n, '1969-01-01Z', 'epoch', 'failed', 'old@example.com', '', 'x', '', ''
        from generate_series(1, 2500) n`
      yield* clean
      assert.deepStrictEqual(
        yield* sql`select from email_queue where recipient_address = 'old@example.com'`,
        []
      )
      assert.strictEqual(yield* left, 2)
      assert.deepStrictEqual(yield* sql`select from email_recipients`, [])
      yield* TestClock.adjust("1 minute")
      yield* clean
      assert.strictEqual(yield* left, 1)
      // However long it waits.
      yield* TestClock.adjust("31 days")
      yield* clean
      assert.strictEqual(yield* left, 1)
      assert.strictEqual((yield* itemTo("waiting@example.com")).status, "pending")
      const [totals] =
        yield* sql`select (select count(*) from email_queue) = (select sum(emails) from email_totals) as same`
      assert.deepStrictEqual(totals, { same: true })
    })
  )
})
