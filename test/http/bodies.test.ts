import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import {
  InvalidRequest,
  PayloadTooLarge,
  UnsupportedMediaType
} from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { guest, json, password, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

const mebibyte = 1024 * 1024

const signIn = "/api/auth/password/signin"

layer(TestApp.layer)("bodies", (it) => {
  it.effect("JSON may have one mebibyte, with and without a Content-Length", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const headers = { ...odin.headers, ...json }
      const bodyOf = (length: number) => {
        const empty = JSON.stringify({ title: "t", unknown: "" })
        return empty.replace('""', `"${"x".repeat(length - empty.length)}"`)
      }
      for (const chunked of [false, true]) {
        const fits = yield* send({
          method: "POST",
          path: "/api/threads",
          headers,
          body: bodyOf(mebibyte),
          chunked
        })
        assert.strictEqual(fits.status, 200, `chunked ${chunked}: ${fits.text.slice(0, 300)}`)
        const large = { method: "POST", path: "/api/threads", headers, body: bodyOf(mebibyte + 1), chunked }
        const answer = yield* send(large)
        assertProblem(answer, PayloadTooLarge, { maximum: mebibyte })
      }
    })
  )

  it.effect("a caller without a session is refused before a large body is read", () =>
    Effect.gen(function* () {
      const body = "x".repeat(2 * mebibyte)
      assertProblem(
        yield* send({ method: "POST", path: "/api/threads", headers: json, body }),
        Unauthenticated
      )
    })
  )

  it.effect("an operation has the limit that it declares, whatever the type of the body", () =>
    Effect.gen(function* () {
      const author = yield* signUp("author")
      const thread = yield* author.post("/threads", { title: "t", visibility: "published" })
      const signal = JSON.stringify({ k: "thread", id: thread.json.id })
      for (const [handle, size, counts] of [
        ["patient", 4096, true],
        ["excessive", 4097, false]
      ] as const) {
        const reader = yield* signUp(handle)
        const headers = { ...reader.headers, "content-type": "text/plain" }
        const body = signal.padEnd(size)
        assert.strictEqual((yield* send({ method: "POST", path: "/api/beacon", headers, body })).status, 202)
        const read = yield* reader.get(`/threads/${thread.json.id}`)
        assert.strictEqual("read_status" in read.json, counts, handle)
      }
    })
  )

  it.effect("an operation without a body ignores one", () =>
    Effect.gen(function* () {
      const answer = yield* send({
        method: "POST",
        path: "/api/auth/logout",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "a=b"
      })
      assert.strictEqual(answer.status, 302)
    })
  )

  it.effect("a body of another content type is refused, and the problem names the type", () =>
    Effect.gen(function* () {
      for (const type of [
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "junk"
      ]) {
        const answer = yield* send({
          method: "POST",
          path: signIn,
          headers: { "content-type": type },
          body: "{}"
        })
        assertProblem(answer, UnsupportedMediaType, { content_type: type })
      }
    })
  )

  it.effect("JSON is accepted with a charset, in any case, and without a content type", () =>
    Effect.gen(function* () {
      yield* signUp("freya")
      const body = JSON.stringify({ identifier: "freya", token: password })
      for (const type of [
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/json;charset=UTF-8"
      ]) {
        const answer = yield* send({ method: "POST", path: signIn, headers: { "content-type": type }, body })
        assert.strictEqual(answer.status, 200, `${type}: ${answer.text}`)
      }
      assert.strictEqual((yield* send({ method: "POST", path: signIn, body })).status, 200)
    })
  )

  it.effect("a body that cannot be parsed is an issue of the whole body", () =>
    Effect.gen(function* () {
      for (const body of ["{", "{'a': 1}", "[1,]", '{"identifier": "a", "token": "b"', "undefined", "NaN"]) {
        assertInvalid(yield* send({ method: "POST", path: signIn, headers: json, body }), "body")
      }
    })
  )

  it.effect("no body counts as an empty object", () =>
    Effect.gen(function* () {
      const answer = yield* send({ method: "POST", path: signIn, headers: json })
      assertInvalid(answer, "body identifier", "body token")
    })
  )

  it.effect("every broken rule is reported at once, each with its place", () =>
    Effect.gen(function* () {
      const loki = yield* signUp("loki")
      const answer = yield* loki.post("/threads", {
        title: "x".repeat(256),
        category: "nope",
        tags: ["ok", 5, "x".repeat(31)],
        visibility: "secret",
        pinned: 1.5,
        meta: []
      })
      const fields = ["category", "meta", "pinned", "tags.1", "tags.2", "title", "visibility"]
      assertInvalid(answer, ...fields.map((field) => `body ${field}`))
    })
  )

  it.effect("an issue of the query string names the parameter", () =>
    Effect.gen(function* () {
      const answer = yield* guest.get("/threads?visibility=secret&ignore_pinned=maybe")
      assertInvalid(answer, "query visibility.0", "query ignore_pinned")
    })
  )

  it.effect("are nested 128 levels deep, and no deeper", () =>
    Effect.gen(function* () {
      const tyr = yield* signUp("tyr")
      const nested = (depth: number) => `{"title":"t","meta":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`
      const post = (body: string) =>
        send({ method: "POST", path: "/api/threads", headers: { ...tyr.headers, ...json }, body })
      const kept = yield* post(nested(127))
      assert.strictEqual(kept.status, 200, kept.text)
      for (const depth of [128, 10_000, 100_000]) assertProblem(yield* post(nested(depth)), InvalidRequest)
      // Brackets inside a string do not nest, and an escaped quote does not end the string.
      for (const start of ["", '"', '\\"', '\\\\"']) {
        const title = `${start}${"[".repeat(200)}`
        const answer = yield* post(JSON.stringify({ title }))
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.json.title, title)
      }
      // An escaped backslash does not escape the quote after it.
      const brackets = `${"[".repeat(500)}${"]".repeat(500)}`
      assertInvalid(yield* post(`{"title":"\\\\","meta":{"a":${brackets}}}`), "body")
    })
  )

  const unstorable: ReadonlyArray<readonly [string, boolean]> = [
    ['"a\\u0000b"', true],
    ['"a\\\\\\u0000b"', true],
    ['"a\\\\u0000b"', false],
    ['"\\ud800"', true],
    ['"\\udc00\\ud800"', true],
    ['"\\uD83D\\uDE00"', false],
    ['"\\\\ud800"', false],
    ['"x\\uDBFFx"', true]
  ]
  it.effect("text that cannot be stored is refused, text that only resembles it is not", () =>
    Effect.gen(function* () {
      const vidar = yield* signUp("vidar")
      for (const [title, refused] of unstorable) {
        const body = `{"title": ${title}, "meta": {"k": ${title}}}`
        const headers = { ...vidar.headers, ...json }
        const answer = yield* send({ method: "POST", path: "/api/threads", headers, body })
        if (refused) assertInvalid(answer, "body title", "body meta.k")
        else assert.strictEqual(ok(answer).title, JSON.parse(title))
      }
    })
  )
})
