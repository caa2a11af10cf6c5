/** The proof that nothing is left of what was known of an account. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestConsole } from "effect/testing"
import { prove } from "../../src/operator/erased/erased.ts"
import { findKnown, linesOf } from "../../src/operator/erased/Known.ts"
import { searchColumns } from "../../src/operator/erased/Searching.ts"
import { isAnyIn, searchFiles } from "../../src/operator/erased/SearchingFiles.ts"
import { order, untilErased } from "../erasure/support.ts"
import { open } from "../support/discussion.ts"
import { addressOf, emailMember } from "../support/emails.ts"
import { png, upload } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast, signUp } from "../support/people.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

layer(People.layer)("what was known of an account", (it) => {
  it.effect("is looked for in every column and file, before and after the erasure", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const baldur = yield* emailMember("baldur")
      const picture = yield* upload(baldur, png(200, 100), { filename: "hidden.png" })
      const text = yield* upload(odin, bytes("a letter to BALDUR@asgard.example, and so on"), {
        filename: "letter.txt"
      })
      const thread = yield* open(odin, "About", { body: "<p>balduro, baldur</p>" })
      const all = yield* findKnown("Baldur")
      assert.deepStrictEqual(all, yield* findKnown(baldur.id))
      // Others of the tests are at the same network.
      const known = all.filter((value) => value !== "127.0.0.1")
      assert.includeMembers([...known], [baldur.id, "baldur", addressOf("baldur"), picture.id])
      const before = yield* Effect.flip(prove(known))
      assert.include(`${before}`, "is in")
      const columns = (found: ReadonlyArray<{ readonly table: string; readonly column: string }>) =>
        found.map(({ column, table }) => `${table}.${column}`)
      assert.includeMembers(columns((yield* searchColumns(known)).found), [
        "accounts.id",
        "accounts.handle",
        "account_emails.address",
        "assets.id",
        "event_log.event",
        "posts.body",
        "search_texts.body"
      ])
      assert.sameMembers([...(yield* searchFiles(known)).found], [text.id, picture.id])
      yield* order(odin, baldur, true)
      assert.deepStrictEqual(yield* untilErased, [])
      // What others wrote stays, and is told of with its key.
      const { found } = yield* searchColumns(known)
      assert.deepStrictEqual(columns(found), ["posts.body", "posts.description", "search_texts.body"])
      assert.deepStrictEqual(found[0]?.examples, [thread.id])
      assert.deepStrictEqual((yield* searchFiles(known)).found, [text.id])
      const own = [baldur.id, picture.id]
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into backups_made (made_at, file) values ('2026-11-26T10:00:00Z', '/nowhere/forum.tar.zst')`
      yield* prove(own)
      const lines = yield* TestConsole.logLines
      assert.include(lines, "/nowhere/forum.tar.zst (2026-11-26T10:00:00.000Z, not on this machine any more)")
      assert.match(`${lines.at(-1)}`, /^Nothing that was known is left in \d+ columns/)
      return yield* Effect.flip(prove(known))
    })
  )

  it.effect("is found as whole words, in texts, JSON and bytes, however it is written", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* signUp("ymir")
      const word = "Grüße+1.x"
      yield* sql`update accounts set meta = ${`{"a": ["GRÜSSE", "grüße+1.x"]}`}::jsonb, signature = 'Grüße+1.xy'
        where id = ${id}`
      yield* sql`insert into calendar_addresses (account_id, key_hash, created_at)
        values (${id}, ${bytes("0123456789 Grüße+1.x 0123456789x").slice(0, 32)}, 'epoch')`
      const { found } = yield* searchColumns([word])
      assert.deepStrictEqual(
        found.map(({ column, examples, table }) => [table, column, ...examples]),
        [
          ["accounts", "meta", id],
          ["calendar_addresses", "key_hash", id]
        ]
      )
      assert.deepStrictEqual(yield* findKnown("nobody-at-all"), [])
    })
  )
})

it("what is known has a line for each, once", () => {
  assert.deepStrictEqual(linesOf(" a\r\n\nb c\na\n"), ["a", "b c"])
})

it.effect("a word is found in a file wherever that is cut, in any case", () =>
  Effect.gen(function* () {
    const file = Array.from(bytes("before the Password ends"), (byte) => Uint8Array.of(byte))
    const has = (...words: ReadonlyArray<string>) => isAnyIn(words, Stream.fromIterable(file))
    assert.isTrue(yield* has("nothing", "THE pass"))
    assert.isFalse(yield* has("password begins"))
    assert.isFalse(yield* has())
  })
)
