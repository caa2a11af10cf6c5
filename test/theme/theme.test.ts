import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { download, png, upload } from "../support/files.ts"
import { createKey, permission as keysPermission } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, personByKey, reinstate, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { port } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"
import { integrityOf, setTheme, themeFile } from "./support.ts"

const none = { stylesheets: [], scripts: [] }

const read = guest.get("/info/theme")

const stored = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly set_by: string | null; readonly set_at: Date | null }>`
    select set_at, set_by from theme`
)

/** Loads a file as a page does whose element has this attribute. */
const load = (path: string, integrity: string) =>
  Effect.flatMap(port, (port) =>
    Effect.promise(() =>
      fetch(`http://127.0.0.1:${port}${path}`, { integrity }).then(
        (response) => response.arrayBuffer().then(() => "loaded"),
        () => "refused"
      )
    )
  )

layer(People.layer)("the theme", (it) => {
  it.effect("is empty as long as nobody has set one", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const answer = yield* read
      assert.deepStrictEqual(ok(answer), none)
      assert.strictEqual(answer.headers["cache-control"], "no-cache")
      assert.deepStrictEqual(ok(yield* odin.get("/admin/theme")), none)
    })
  )

  it.effect("is what was put, in its order, for everyone, until it is taken away", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* TestClock.adjust("1 minute")
      const base = yield* themeFile(odin, "base.css", "a { color: red }")
      const colours = yield* themeFile(freya, "Colours Ω.CSS".toLowerCase(), "a { color: blue }")
      const [first, second] = [
        yield* themeFile(odin, "first.js", "globalThis.a = 1"),
        yield* themeFile(odin, "second.mjs", "globalThis.b = 2")
      ]
      const expected = { stylesheets: [colours, base], scripts: [second, first] }
      assert.deepStrictEqual(
        yield* setTheme(odin, [colours.id, base.id, colours.id], [second.id, first.id, second.id, first.id]),
        expected
      )
      const answer = yield* read
      assert.deepStrictEqual(ok(answer), expected)
      assert.deepStrictEqual(ok(yield* odin.get("/admin/theme")), expected)
      assert.deepStrictEqual(
        (yield* stored).map(({ set_at, set_by }) => [set_by, set_at?.toISOString()]),
        [[odin.id, "1970-01-01T00:01:00.000Z"]]
      )

      const known = { headers: { "if-none-match": String(answer.headers.etag) } }
      const same = yield* guest.get("/info/theme", known)
      assert.deepStrictEqual(
        [same.status, same.text, same.headers.etag, same.headers["cache-control"]],
        [304, "", answer.headers.etag, "no-cache"]
      )
      // The same files in another order are another theme.
      yield* setTheme(odin, [base.id, colours.id], [second.id, first.id])
      const changed = yield* guest.get("/info/theme", known)
      assert.deepStrictEqual(ok(changed).stylesheets, [base, colours])
      assert.deepStrictEqual(yield* setTheme(odin, []), none)
      assert.deepStrictEqual(ok(yield* guest.get("/info/theme", known)), none)
    })
  )

  it.effect("has files whose bytes browsers accept: of this type, with this hash, kept for ever", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const css = yield* themeFile(odin, "a.css", "a::after { content: 'Ω' }")
      const js = yield* themeFile(odin, "a.js", "void 'Ω'")
      const theme = yield* setTheme(odin, [css.id], [js.id])
      for (const { id, integrity, mime_type, path, size } of [...theme.stylesheets, ...theme.scripts]) {
        for (const headers of [{}, { origin: "https://elsewhere.test", "sec-fetch-site": "cross-site" }]) {
          const answer = yield* download(path, headers)
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(answer.bytes.length, size)
          assert.strictEqual(integrityOf(answer.bytes), integrity)
          assert.strictEqual(answer.headers["content-type"], mime_type)
          assert.strictEqual(answer.headers["x-content-type-options"], "nosniff")
          assert.strictEqual(answer.headers["content-security-policy"], "default-src 'none'; sandbox")
          assert.strictEqual(answer.headers["access-control-allow-origin"], "*")
          assert.strictEqual(answer.headers["cache-control"], "public, max-age=31536000, immutable")
          assert.isUndefined(answer.headers["content-encoding"])
        }
        // As programs load it that check the hash, and refuse the bytes of another file.
        assert.strictEqual(yield* load(path, integrity), "loaded")
        assert.strictEqual(yield* load(path === css.path ? js.path : css.path, integrity), "refused")
        const same = yield* download(path, { "if-none-match": `"${id}"` })
        assert.deepStrictEqual(
          [same.status, same.headers["cache-control"]],
          [304, "public, max-age=31536000, immutable"]
        )
      }
      // What a page has loaded stays where it was.
      const newer = yield* themeFile(odin, "a.css", "a { color: green }")
      yield* setTheme(odin, [newer.id])
      assert.strictEqual(integrityOf((yield* download(css.path)).bytes), css.integrity)
      const photo = yield* upload(odin, png(2, 2), { filename: "a.png" })
      assert.strictEqual((yield* download(photo.path)).headers["cache-control"], "public, max-age=31536000")
    })
  )

  it.effect("is replaced with an event of its own, by those who may change settings", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from event_log`
      const css = yield* themeFile(loki, "a.css", "a {}")
      yield* setTheme(odin, [])
      yield* suspend(loki)
      for (const body of [{ stylesheets: [css.id], scripts: [] }, { stylesheets: "nonsense" }]) {
        assertProblem(yield* guest.put("/admin/theme", body), Unauthenticated)
        assertProblem(yield* freya.put("/admin/theme", body), Forbidden, { permission: "MANAGE_SETTINGS" })
        assertProblem(yield* loki.put("/admin/theme", body), AccountSuspended)
      }
      assertProblem(yield* guest.get("/admin/theme"), Unauthenticated)
      assertProblem(yield* freya.get("/admin/theme"), Forbidden)
      assert.deepStrictEqual(ok(yield* read), none)
      yield* reinstate(loki)
      yield* grant(tyr, "MANAGE_SETTINGS")
      assert.deepStrictEqual(yield* setTheme(tyr, [css.id]), { stylesheets: [css], scripts: [] })
      yield* grant(tyr, keysPermission)
      const key = yield* createKey(tyr)
      assert.deepStrictEqual(yield* setTheme(personByKey(key.secret, tyr.id), []), none)
      const events = yield* sql`select actor_id, event from event_log
        where event ->> '_tag' in ('ThemeReplaced', 'SettingsUpdated') order by id`
      const event = { _tag: "ThemeReplaced" }
      assert.deepStrictEqual(events, [
        { actor_id: odin.id, event },
        { actor_id: tyr.id, event },
        { actor_id: tyr.id, event }
      ])
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a theme", (it) => {
  it.effect("that many replace at the same time is one of theirs, whole, at every moment", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      // Those of one account would wait for each other.
      for (const person of [freya, loki, tyr]) yield* grant(person, "MANAGE_SETTINGS")
      const people = [odin, freya, loki, tyr, odin, freya, loki, tyr]
      const lists: Array<ReadonlyArray<string>> = []
      for (let n = 1; n <= 8; n++) {
        const ids: Array<string> = []
        for (let file = 0; file < n; file++) {
          ids.push((yield* themeFile(odin, `${n}-${file}.css`, `a { order: ${n * 100 + file} }`)).id)
        }
        lists.push(ids)
      }
      const known = new Set(["", ...lists.map(String)])
      const seen: Array<string> = []
      const look = Effect.map(read, (answer) => {
        const ids = ok(answer).stylesheets.map(({ id }: { readonly id: string }) => id)
        seen.push(String(ids))
      })
      yield* Effect.all(
        [
          ...lists.map((ids, n) => setTheme(people[n] ?? odin, ids)),
          ...Array.from({ length: 24 }, () => look)
        ].map(Effect.asVoid),
        { concurrency: "unbounded" }
      )
      yield* look
      assert.deepStrictEqual(
        seen.filter((ids) => !known.has(ids)),
        []
      )
      assert.notStrictEqual(seen.at(-1), "")
    })
  )

  it.effect("is that of all instances at once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      const there = Effect.provideService(read, HttpClient.HttpClient, elsewhere)
      for (const name of ["one", "two"]) {
        const css = yield* themeFile(odin, `${name}.css`, `a { content: "${name}" }`)
        const theme = yield* setTheme(odin, [css.id])
        assert.deepStrictEqual(ok(yield* there), theme)
      }
      yield* setTheme(odin, [])
      assert.deepStrictEqual(ok(yield* there), none)
    })
  )
})
