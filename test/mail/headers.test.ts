/** What people choose to be called cannot change what a mail is, nor put a link into it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Mailbox } from "../support/mailbox.ts"
import * as People from "../support/people.ts"
import { enqueue, itemTo } from "./support.ts"

let number = 0

/** A mail of this name and subject as it arrived. */
const sent = Effect.fnUntraced(function* (name: string, subject = "Hello") {
  const mailbox = yield* Mailbox
  const address = `n${number++}@example.com`
  yield* enqueue(address, { name, subject })
  return { address, got: yield* mailbox.mailTo(address) }
})

layer(People.layer)("the headers of a mail", (it) => {
  it.effect("show names and subjects of all scripts", () =>
    Effect.gen(function* () {
      for (const name of [
        "Ægir Jötunn",
        "Зевс",
        "王小明",
        "محمد",
        "प्रिया",
        "🦊 Fox",
        'O\'Brien, "Pat" (he)',
        "J. R. R. Tolkien",
        "",
        "ﷺ".repeat(60)
      ]) {
        const { address, got } = yield* sent(name, `Welcome, ${name}! Ω`)
        const expected = name.replace('"Pat"', "Pat")
        assert.strictEqual(got.toName, expected, name)
        assert.strictEqual(got.subject, `Welcome, ${name}! Ω`)
        assert.strictEqual((yield* itemTo(address)).recipient_name, expected)
        assert.match(got.raw, /^[\r\n\x20-\x7e]*$/, name)
        for (const line of got.raw.split("\r\n")) assert.isAtMost(line.length, 998)
      }
    })
  )

  it.effect("are as many as there should be, whatever is in names and subjects", () =>
    Effect.gen(function* () {
      for (const hostile of [
        "x\r\nBcc: victim@example.com",
        "x\nBcc: victim@example.com\n\nBody",
        "x\rBcc: victim@example.com",
        "x\u2028Bcc: victim@example.com",
        "x\u0085Bcc: victim@example.com",
        'x" <victim@example.com>, "y',
        "victim@example.com",
        "=?utf-8?Q?x=0D=0ABcc:_victim=40example.com?="
      ]) {
        const { address, got } = yield* sent(hostile, `Hello ${hostile}`)
        assert.deepStrictEqual(got.to, [address], hostile)
        for (const name of ["to", "subject", "from", "message-id"])
          assert.strictEqual(got.count(name), 1, hostile)
        for (const name of ["bcc", "cc"]) assert.strictEqual(got.count(name), 0, hostile)
        assert.notInclude(got.header("to"), "victim@example.com", hostile)
        assert.strictEqual(got.text.trim(), "Hello, Freya.", hostile)
      }
    })
  )

  it.effect("have nothing that becomes a link in a name", () =>
    Effect.gen(function* () {
      for (const [name, shown] of [
        ["https://evil.example/login", "https evil. example login"],
        ["www.evil.example", "www. evil. example"],
        ["support@evil.example", "support evil. example"],
        ["mailto:a＠b．c", "mailto a b． c"],
        ["evil。example", "evil。 example"],
        ["evil.\u200dexample", "evil. example"],
        ["<b>x</b>", "b x b"],
        ["x".repeat(255), "x".repeat(64)]
      ] as const) {
        assert.strictEqual((yield* sent(name)).got.toName, shown)
      }
    })
  )

  it.effect("have subjects of 200 characters at most", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* sent("x", "ä".repeat(201))).got.subject, "ä".repeat(200))
    })
  )

  it.effect("have addresses that are one, or none is queued", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const address of ["a@b>", "a\r\n@b.c", "a<b@c.d", "a", "@b.c", "a@b c"]) {
        const insert = sql`insert into email_queue
            (id, queued_at, updated_at, recipient_address, recipient_name, subject, text_body, html_body, due_at)
          values ('x', 'epoch', 'epoch', ${address}, '', 'x', '', '', 'epoch')`
        assert.strictEqual((yield* Effect.flip(insert)).reason._tag, "ConstraintError", address)
      }
    })
  )
})
