import { createHash } from "node:crypto"
import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { attribute, makeVisitor, pageOf, resolved } from "../page/visitor.ts"
import { document } from "../support/conformance.ts"
import { call, guest } from "../support/people.ts"
import { port } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes
}

/** The body as it is sent, which `fetch` would have decompressed. */
const bytesOf = Effect.fnUntraced(function* (path: string, encoding: string) {
  const options = { port: yield* port, path, headers: { "accept-encoding": encoding }, agent: false }
  return yield* Effect.promise(
    () =>
      new Promise<{ readonly headers: NodeJS.Dict<string | string[]>; readonly body: Buffer }>(
        (resolve, reject) => {
          request({ host: "127.0.0.1", ...options }, async (response) => {
            const parts: Array<Buffer> = []
            for await (const part of response) parts.push(part)
            resolve({ headers: response.headers, body: Buffer.concat(parts) })
          })
            .on("error", reject)
            .end()
        }
      )
  )
})

const hashesOf = (html: string) =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, source = ""]) => `'sha256-${createHash("sha256").update(source).digest("base64")}'`
  )

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

layer(TestApp.layer)("the description of the API, its reference and its problems", (it) => {
  it.effect("parallel first requests get the same response", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 6 }, () => guest.get("/docs")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(answers.map(({ headers }) => headers.etag)).size, 1)
    })
  )

  it.effect("the description is the one derived from the definition", () =>
    Effect.gen(function* () {
      const answer = yield* guest.get("/openapi.json")
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.json, JSON.parse(JSON.stringify(document)))
      assert.strictEqual(answer.headers["content-type"], "application/vnd.oai.openapi+json;version=3.1.0")
      assert.strictEqual(answer.headers["cache-control"], "public, max-age=3600")
    })
  )

  for (const path of ["/openapi.json", "/docs"]) {
    it.effect(`${path} comes compressed as asked for, each form with its own tag`, () =>
      Effect.gen(function* () {
        const tags = new Set<unknown>()
        const plain = yield* bytesOf(`/api${path}`, "identity")
        for (const [encoding, decode] of Object.entries(decoders)) {
          const { body, headers } = yield* bytesOf(`/api${path}`, encoding)
          assert.strictEqual(headers["content-encoding"], encoding === "identity" ? undefined : encoding)
          assert.strictEqual(headers.vary, "Accept-Encoding, Origin")
          assert.strictEqual(Number(headers["content-length"]), body.length)
          assert.isTrue(plain.body.equals(decode(body)), encoding)
          if (encoding !== "identity") assert.isBelow(body.length, plain.body.length / 3)
          assert.match(String(headers.etag), /^"[0-9a-f]{32}(-br|-gzip)?"$/)
          tags.add(headers.etag)
        }
        assert.strictEqual(tags.size, 3)
      })
    )

    it.effect(`${path} is not sent again to a client that has it`, () =>
      Effect.gen(function* () {
        const first = yield* guest.get(path)
        const tag = first.headers.etag ?? ""
        const again = yield* guest.get(path, { headers: { "if-none-match": tag } })
        assert.strictEqual(again.status, 304)
        assert.strictEqual(again.text, "")
        for (const name of ["etag", "cache-control", "vary"]) {
          assert.strictEqual(again.headers[name], first.headers[name], name)
        }
        const other = yield* guest.get(path, { headers: { "if-none-match": '"something-else"' } })
        assert.strictEqual(other.status, 200)
      })
    )
  }

  const encodings: ReadonlyArray<readonly [string, string | undefined]> = [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0", "gzip"],
    ["br;q=0, *;q=0.5", "gzip"],
    ["*", "br"],
    ["zstd", undefined],
    ["BR", "br"],
    ["", undefined]
  ]
  it.effect("clients that accept several encodings get the smallest", () =>
    Effect.gen(function* () {
      for (const [accepted, expected] of encodings) {
        const { headers } = yield* bytesOf("/api/openapi.json", accepted)
        assert.strictEqual(headers["content-encoding"], expected, accepted)
      }
    })
  )

  it.effect("the reference contains the document, runs only its own scripts and loads nothing else", () =>
    Effect.gen(function* () {
      const answer = yield* guest.get("/docs")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "text/html; charset=utf-8")
      assert.strictEqual(answer.headers["cache-control"], "public, no-cache")
      assert.include(answer.text, '"operationId":"ThreadCreate"')
      const policy = answer.headers["content-security-policy"] ?? ""
      const scripts = hashesOf(answer.text)
      assert.strictEqual(scripts.length, 1)
      assert.include(policy, `script-src ${scripts.join(" ")};`)
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "connect-src 'self'")
      assert.notMatch(policy, /https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
      // Outside its scripts and styles, the page is a title, an empty icon and a container.
      const markup = answer.text.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, "")
      assert.notMatch(markup, /\ssrc=|url\(/)
      assert.deepStrictEqual(markup.match(/<link[^>]*>/g), ['<link rel="icon" href="data:,">'])
      const styles = answer.text.match(/<style>[\s\S]*?<\/style>/)?.[0] ?? ""
      assert.notMatch(styles, /url\((?!"?data:)|@import/)
      // Where the library has these settings, they are found.
      assert.match(answer.text, /dom_id: "#swagger-ui", deepLinking: true, defaultModelsExpandDepth: -1,/)
    })
  )

  it.effect("every problem is listed, and has a page at the address in its type", () =>
    Effect.gen(function* () {
      const list = yield* guest.get("/problems")
      const problems: ReadonlyArray<{
        readonly name: string
        readonly type: string
        readonly title: string
      }> = list.json.problems
      const names = problems.map(({ name }) => name)
      assert.includeMembers(names, [
        "not-found",
        "method-not-allowed",
        "cross-site-request",
        "shutting-down",
        "thread-not-found",
        "too-many-attempts"
      ])
      assert.strictEqual(new Set(names).size, names.length)
      const overview = yield* guest.get("/problems", { headers: { accept: browser } })
      for (const problem of problems) {
        assert.strictEqual(problem.type, `/api/problems/${problem.name}`)
        const program = yield* call("GET", problem.type)
        assert.deepStrictEqual(program.json, problem)
        const person = yield* call("GET", problem.type, { headers: { accept: browser } })
        assert.strictEqual(person.headers["content-type"], "text/html; charset=utf-8")
        assert.deepStrictEqual(pageOf(person, problem.type).heading, [problem.title])
        assert.include(overview.text, `<code>${problem.name}</code>`)
      }
    })
  )

  it.effect("browsers get pages, programs get JSON", () =>
    Effect.gen(function* () {
      const forms: ReadonlyArray<readonly [string, string]> = [
        [browser, "text/html; charset=utf-8"],
        ["text/html", "text/html; charset=utf-8"],
        ["text/*", "text/html; charset=utf-8"],
        ["text/html;q=0.5, application/json", "application/json"],
        ["application/json, text/html", "application/json"],
        ["application/problem+json", "application/json"],
        ["*/*", "application/json"]
      ]
      for (const path of ["/problems", "/problems/not-found"]) {
        for (const [accept, contentType] of forms) {
          const answer = yield* guest.get(path, { headers: { accept } })
          assert.strictEqual(answer.headers["content-type"], contentType, accept)
          const isPage = contentType.startsWith("text/html")
          assert.strictEqual(
            answer.headers.vary,
            isPage ? "Accept, Accept-Language, Origin" : "Accept, Origin"
          )
        }
      }
    })
  )

  it.effect("pages of problems load nothing but what the service has, and lead to each other", () =>
    Effect.gen(function* () {
      for (const path of ["/api/problems", "/api/problems/not-found"]) {
        const page = yield* makeVisitor().open(path)
        assert.match(page.answer.headers["content-security-policy"] ?? "", /^default-src 'none';/)
        assert.match(page.answer.headers["content-security-policy"] ?? "", /frame-ancestors 'none'/)
        assert.notMatch(page.html, /<script|https?:/)
        const links = [...page.html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, href = ""]) => href)
        assert.isAtLeast(links.length, 4)
        for (const link of links) {
          assert.strictEqual((yield* call("GET", resolved(link, path))).status, 200, link)
          assert.strictEqual(resolved(link, `/hall${path}`), `/hall${resolved(link, path)}`)
        }
      }
    })
  )

  it.effect("pages of problems speak German around what is told in English", () =>
    Effect.gen(function* () {
      const german = makeVisitor({ "accept-language": "de" })
      const list = yield* german.open("/api/problems")
      assert.deepStrictEqual([list.language, list.heading], ["de", ["Probleme"]])
      const page = yield* german.open("/api/problems/not-found")
      assert.deepStrictEqual(
        [page.language, attribute(page.all("h1")[0] ?? assert.fail(), "lang")],
        ["de", "en"]
      )
      assert.include(page.text, "Alle Probleme")
      assert.strictEqual(page.answer.headers["content-language"], "de")
    })
  )

  it.effect("the address of an unknown problem answers a problem", () =>
    Effect.gen(function* () {
      for (const name of ["nope", "Not-Found", "__proto__", "<script>"]) {
        const answer = yield* guest.get(`/problems/${encodeURIComponent(name)}`)
        assert.strictEqual(answer.status, 404)
        assert.strictEqual(answer.json.type, "/api/problems/problem-unknown")
        assert.deepStrictEqual(answer.json.metadata, { name })
      }
    })
  )
})
