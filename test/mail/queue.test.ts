/** The mails that the service sends, as administrators see them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { EmailNotFailed, EmailNotFound } from "../../src/domain/mail/EmailQueueItem.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { Mailbox } from "../support/mailbox.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { enqueue, itemTo, queue, retry } from "./support.ts"

interface Listed {
  readonly id: string
  readonly queued_at: string
  readonly recipient_address: string
}

const addressesOf = ({ emails }: { readonly emails: ReadonlyArray<Listed> }) =>
  emails.map(({ recipient_address }) => recipient_address.replace("@example.com", ""))

const failing = { _tag: "Refuse", code: 550, message: "No such user" } as const

layer(People.layer)("the queue of mails", (it) => {
  it.effect("is for administrators, cookie or not", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* grant(loki, "MANAGE_ACCOUNTS", "MANAGE_SETTINGS", "VIEW_ACCOUNTS")
      for (const [person, problem] of [
        [guest, Unauthenticated],
        [freya, Forbidden],
        [loki, Forbidden]
      ] as const) {
        assertProblem(yield* person.get("/admin/email-queue"), problem)
        assertProblem(yield* person.get("/admin/email-queue?page=x&statuses=lost"), problem)
        assertProblem(yield* person.post(`/admin/email-queue/${nobody}/attempt`), problem)
      }
      assert.deepStrictEqual(ok(yield* odin.get("/admin/email-queue")), {
        page_size: 50,
        results: 0,
        total_pages: 0,
        current_page: 1,
        emails: []
      })
    })
  )

  it.effect("is listed newest first, and narrowed by address, statuses and time", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const mailbox = yield* Mailbox
      yield* enqueue("anna@example.com")
      yield* mailbox.deliver
      yield* TestClock.adjust("1 minute")
      mailbox.behaviour.current = failing
      yield* enqueue("hanna@example.com")
      yield* mailbox.deliver
      yield* mailbox.clear
      yield* TestClock.adjust("1 minute")
      yield* enqueue("per%cent@example.com")
      yield* enqueue("per_cent@example.com")
      const all = yield* queue()
      assert.deepStrictEqual(addressesOf(all), ["per_cent", "per%cent", "hanna", "anna"])
      const narrowed = (query: string) => Effect.map(queue(query), addressesOf)
      assert.deepStrictEqual(yield* narrowed("?q=ANNA"), ["hanna", "anna"])
      assert.deepStrictEqual(yield* narrowed("?q=hanna%40ex"), ["hanna"])
      assert.deepStrictEqual(yield* narrowed("?q=r%25c"), ["per%cent"])
      assert.deepStrictEqual(yield* narrowed("?q=_"), ["per_cent"])
      assert.deepStrictEqual(yield* narrowed("?q="), ["per_cent", "per%cent", "hanna", "anna"])
      assert.deepStrictEqual(yield* narrowed("?statuses=sent"), ["anna"])
      assert.deepStrictEqual(yield* narrowed("?statuses=sent&statuses=failed"), ["hanna", "anna"])
      assert.deepStrictEqual(yield* narrowed("?statuses=processing"), [])
      assert.strictEqual((yield* queue("?statuses=failed&statuses=pending")).total_pages, 1)
      const middle = encodeURIComponent(all.emails[2].queued_at)
      assert.deepStrictEqual(yield* narrowed(`?range=${middle}/`), ["per_cent", "per%cent", "hanna"])
      assert.deepStrictEqual(yield* narrowed(`?range=${middle}`), ["per_cent", "per%cent", "hanna"])
      assert.deepStrictEqual(yield* narrowed(`?range=/${middle}`), ["hanna", "anna"])
      assert.deepStrictEqual(yield* narrowed(`?range=${middle}/${middle}`), ["hanna"])
      assert.deepStrictEqual(yield* narrowed(`?range=/${middle}&q=anna&statuses=sent`), ["anna"])
      for (const [query, place] of [
        ["statuses=lost", "query statuses.0"],
        ["range=a", "query range"],
        ["range=2026-01-01/2026-01-02/2026-01-03", "query range"],
        [`q=${"x".repeat(256)}`, "query q"]
      ] as const) {
        assertInvalid(yield* odin.get(`/admin/email-queue?${query}`), place)
      }
      // What is in mails is for their receivers.
      assert.notInclude(JSON.stringify(all), "Hello, Freya")
    })
  )

  it.effect("has pages that do not overlap, near and far", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into email_queue
          (id, queued_at, updated_at, recipient_address, recipient_name, subject, text_body, html_body, due_at)
        select lpad(n::text, 19, '0') || '0', '2001-01-01Z', '2001-01-01Z', n || '@many.example', '', 'x', '', '',
          'infinity' from generate_series(1, 1120) n`
      const seen: Array<string> = []
      for (let page = 1; page <= 24; page++) {
        const { current_page, emails, next_page, results, total_pages } = yield* queue(`?page=${page}`)
        assert.deepStrictEqual([current_page, total_pages], [page, 23])
        assert.strictEqual(results, emails.length)
        assert.strictEqual(next_page, page < 23 ? page + 1 : undefined)
        seen.push(...emails.map(({ id }: Listed) => id))
      }
      assert.lengthOf(seen, 1124)
      assert.deepStrictEqual(
        seen.slice(0, 1120),
        Array.from({ length: 1120 }, (_, n) => `${String(1120 - n).padStart(19, "0")}0`)
      )
      assert.strictEqual(new Set(seen).size, 1124)
      assert.deepInclude(yield* queue("?page=2147483647"), { current_page: 2_147_483_647, emails: [] })
      for (const page of ["0", "-1", "x"]) assert.strictEqual((yield* queue(`?page=${page}`)).current_page, 1)
      yield* sql`delete from email_queue where recipient_address like '%@many.example'`
      assert.strictEqual((yield* queue()).results, 4)
    })
  )
})

layer(People.layer)("another attempt", (it) => {
  it.effect("is for mails that failed", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      yield* enqueue("waiting@example.com")
      const { id } = yield* itemTo("waiting@example.com")
      assertProblem(yield* retry(id), EmailNotFailed, { email_id: id, status: "pending" })
      yield* mailbox.deliver
      assertProblem(yield* retry(id), EmailNotFailed, { email_id: id, status: "sent" })
      assertProblem(yield* retry(nobody), EmailNotFound, { email_id: nobody })
      for (const bad of ["x", `${id}x`, id.toUpperCase()]) assertInvalid(yield* retry(bad), "path email_id")
    })
  )

  it.effect("is made once, however many ask for it at the same time", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      mailbox.behaviour.current = failing
      yield* enqueue("once@example.com")
      yield* mailbox.deliver
      const { id } = yield* itemTo("once@example.com")
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => retry(id)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        1
      )
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, EmailNotFailed, { email_id: id, status: "pending" })
      }
      yield* mailbox.deliver
      assert.lengthOf((yield* itemTo("once@example.com")).attempts, 2)
    })
  )
})
