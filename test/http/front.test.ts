/** The addresses that people try first. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { MethodNotAllowed } from "../../src/http/contract/RequestProblems.ts"
import { signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

const browser = { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" }

const alone = TestApp.layerWhere({ webUrl: new URL("http://forum.test") })

layer(alone)("the front of a service without a frontend", (it) => {
  it.effect(
    "is a page for browsers, which loads nothing from elsewhere and escapes what administrators say",
    () =>
      Effect.gen(function* () {
        const odin = yield* signUp("odin")
        yield* odin.patch("/admin", { title: "<Mead> & more", description: 'A "hall"' })
        const page = yield* send({ path: "/", headers: browser })
        assert.strictEqual(page.status, 200)
        assert.strictEqual(page.headers["content-type"], "text/html; charset=utf-8")
        assert.include(page.headers["content-security-policy"], "default-src 'none'")
        assert.include(page.headers["content-security-policy"], "frame-ancestors 'none'")
        assert.include(page.headers["content-security-policy"], "form-action 'self'")
        assert.notInclude(page.headers["content-security-policy"], "unsafe-inline")
        assert.strictEqual(page.headers.vary, "Accept, Accept-Language, Origin")
        assert.strictEqual(page.headers["cache-control"], "no-cache")
        assert.notInclude(page.text, "<Mead>")
        assert.include(page.text, "&#60;Mead&#62; &#38; more")
        assert.include(page.text, "Version 1.2.3")
        const links = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = ""]) => link)
        assert.isAtLeast(links.length, 5)
        for (const link of links) {
          const answer = yield* send({ path: new URL(link, "http://forum.test/").pathname })
          assert.strictEqual(answer.status, 200, link)
        }
      })
  )

  it.effect("speaks German to who prefers it", () =>
    Effect.gen(function* () {
      const page = yield* send({ path: "/", headers: { ...browser, "accept-language": "de-AT" } })
      assert.strictEqual(page.headers["content-language"], "de")
      assert.include(page.text, "Die API eines Forums")
    })
  )

  it.effect("is JSON for programs", () =>
    Effect.gen(function* () {
      const answer = yield* send({ path: "/" })
      assert.strictEqual(answer.status, 200)
      assert.match(answer.headers["content-type"] ?? "", /^application\/json/)
      assert.strictEqual(answer.json.version, "1.2.3")
      assert.strictEqual(answer.json.reference, "api/docs")
    })
  )

  it.effect("leads from /api to the reference, also under the path of a proxy", () =>
    Effect.gen(function* () {
      const answer = yield* send({ path: "/api", headers: browser })
      assert.strictEqual(answer.status, 302)
      assert.strictEqual(
        new URL(answer.headers.location ?? "", "http://forum.test/hall/api").pathname,
        "/hall/api/docs"
      )
    })
  )

  it.effect("takes nothing but reads", () =>
    Effect.gen(function* () {
      for (const path of ["/", "/api"]) {
        for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
          const refused = yield* send({ method, path })
          assertProblem(refused, MethodNotAllowed, { allow: ["GET", "HEAD", "OPTIONS"] })
        }
      }
    })
  )
})

layer(TestApp.layer)("the front of a service with a frontend elsewhere", (it) => {
  it.effect("leads there", () =>
    Effect.gen(function* () {
      for (const headers of [browser, {}]) {
        const answer = yield* send({ path: "/", headers })
        assert.strictEqual(answer.status, 302)
        assert.strictEqual(answer.headers.location, "http://www.forum.test")
      }
    })
  )
})
