import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { entriesMax } from "../../src/domain/feed/Feed.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { formats, read, titles } from "./support.ts"

const path = "/feeds/library"

const write = (by: Person, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(by.post("/nodes", { name, visibility: "published", ...more }), ok)

layer(People.layer)("a feed of the library", (it) => {
  it.effect("has the published pages, newest change first", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      assert.deepStrictEqual(yield* titles(path), [])
      const first = yield* write(odin, "First", {
        content: '<p>See <a href="other">it</a></p>',
        tags: ["tag"]
      })
      yield* TestClock.adjust("1 second")
      yield* write(odin, "Second", { parent: first.slug })
      for (const visibility of ["draft", "unlisted", "review"]) {
        yield* write(odin, `Hidden ${visibility}`, { visibility })
      }
      assert.deepStrictEqual(yield* titles(path), ["Second", "First"])
      yield* TestClock.adjust("1 second")
      const { etag = "" } = (yield* guest.get(`${path}.atom`)).headers
      ok(yield* odin.patch(`/nodes/${first.slug}`, { name: "First again" }))
      assert.deepStrictEqual(yield* titles(path), ["First again", "Second"])
      assert.strictEqual((yield* guest.get(`${path}.atom`, ifNoneMatch(etag))).status, 200)
      for (const format of formats) {
        const [entry] = (yield* read(format, path)).entries
        assert.strictEqual(entry?.id, `tag:forum.test,2026:page/${first.id}`)
        assert.strictEqual(entry?.address, `http://www.forum.test/l/${first.slug}`)
        assert.strictEqual(entry?.author, "odin")
        assert.strictEqual(
          entry?.content,
          '<p>See <a href="http://www.forum.test/l/other" rel="nofollow">it</a></p>'
        )
        const plain = yield* guest.get(`${path}.${format}`)
        for (const person of [odin, freya]) {
          assert.strictEqual((yield* person.get(`${path}.${format}`)).text, plain.text)
        }
        assert.notInclude(plain.text, "Hidden")
        assert.strictEqual(
          (yield* guest.get(`${path}.${format}`, ifNoneMatch(plain.headers.etag ?? ""))).status,
          304
        )
      }
      ok(yield* odin.patch(`/nodes/${first.slug}/visibility`, { visibility: "draft" }))
      assert.deepStrictEqual(yield* titles(path), ["Second"])
    })
  )

  it.effect("has 50 entries, of which large ones have their descriptions alone", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forEach(Array.from({ length: entriesMax + 2 }).keys(), (number) =>
        write(odin, `Large ${number}`, { content: `<p>begins ${number}</p>` })
      )
      yield* sql`update nodes set content = replace(content, '</p>', repeat('<br>', 50000) || '</p>') where name like 'Large %'`
      for (const format of formats) {
        const answer = yield* guest.get(`${path}.${format}`)
        assert.isBelow(Buffer.byteLength(answer.text), 2.5 * 1024 * 1024)
        const { entries } = yield* read(format, path)
        assert.lengthOf(entries, entriesMax)
        const cut = entries.filter(({ content }) => content === undefined)
        assert.isAbove(cut.length, entriesMax / 2)
        for (const { summary } of cut) assert.match(summary ?? "", /^begins/)
      }
    })
  )

  it.effect("is refused to everyone where guests do not read the library", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      ok(yield* odin.patch("/roles/0000000000000000000g", { permissions: ["READ_PUBLISHED_THREADS"] }))
      for (const person of [guest, odin]) {
        assertProblem(yield* person.get(`${path}.json`), Forbidden, { permission: "READ_PUBLISHED_LIBRARY" })
      }
    })
  )
})
