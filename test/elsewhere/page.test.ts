/** The page to come back to, where there is no frontend. */
import { createHash } from "node:crypto"
import { runInNewContext } from "node:vm"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const path = "/auth/oauth_oidc/callback"

const scriptOf = (html: string) => /<script>([\s\S]*)<\/script>/.exec(html)?.[1] ?? assert.fail(html)

const notSignedIn = "You were not signed in"

/** Runs the script of the page at this address, in a browser that has only what it needs. */
const visit = (script: string, address: string, answer: () => Promise<Response>) =>
  Effect.promise(async () => {
    const heading = {
      textContent: "Signing in…",
      nextElementSibling: { dataset: { refused: notSignedIn } }
    }
    const alert = { textContent: "" }
    const url = new URL(address)
    const sent: Array<unknown> = []
    const went: Array<string> = []
    runInNewContext(script, {
      URLSearchParams,
      document: { querySelector: (selector: string) => (selector === "h1" ? heading : alert) },
      location: {
        pathname: url.pathname,
        search: url.search,
        replace: (to: string) => went.push(new URL(to, url).href)
      },
      fetch: (to: string, { body, method }: { readonly body: string; readonly method: string }) => {
        sent.push({ method, to: new URL(to, url).href, body: JSON.parse(body) })
        return answer()
      }
    })
    await new Promise(setImmediate)
    return { says: [heading.textContent, alert.textContent], sent, went }
  })

const same = { publicUrl: new URL("http://forum.test"), webUrl: new URL("http://forum.test") }

layer(TestApp.layerWhere(same))("the page to come back to without a frontend", (it) => {
  it.effect("runs its own script alone, and is not kept", () =>
    Effect.gen(function* () {
      const answer = yield* call("GET", `${path}?state=s&code=c`)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "text/html; charset=utf-8")
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assert.strictEqual(answer.headers["referrer-policy"], "same-origin")
      const hash = createHash("sha256").update(scriptOf(answer.text)).digest("base64")
      const policy = answer.headers["content-security-policy"] ?? ""
      assert.include(policy, `script-src 'sha256-${hash}'`)
      assert.include(policy, "default-src 'none'")
      assert.include(answer.text, `data-refused="${notSignedIn}"`)
      const german = yield* call("GET", path, { headers: { "accept-language": "de" } })
      assert.include(german.text, "Diese Seite braucht JavaScript.")
      // Nothing of the address is in the page.
      const other = yield* call("GET", "/auth/x%3Cb%3E/callback?error=%3Cscript%3E")
      assert.strictEqual(other.text, answer.text)
    })
  )

  it.effect("hands over what the browser brings, and goes on or says what is wrong", () =>
    Effect.gen(function* () {
      const script = scriptOf((yield* call("GET", path)).text)
      const answered = (body: object, status: number) => () =>
        Promise.resolve(new Response(JSON.stringify(body), { status }))
      const good = yield* visit(
        script,
        `http://forum.test/under${path}?state=s&code=c`,
        answered({ id: "x" }, 200)
      )
      assert.deepStrictEqual(good, {
        says: ["Signing in…", ""],
        sent: [
          {
            method: "POST",
            to: "http://forum.test/under/api/auth/oauth/oauth_oidc/callback",
            body: { state: "s", code: "c" }
          }
        ],
        went: ["http://forum.test/under/login"]
      })
      const refused = yield* visit(
        script,
        `http://forum.test${path}?state=s&code=c`,
        answered({ title: "Begin again" }, 401)
      )
      assert.deepStrictEqual(refused.says, [notSignedIn, "Begin again"])
      assert.deepStrictEqual(refused.went, [])
      const denied = yield* visit(script, `http://forum.test${path}?error=access_denied`, answered({}, 500))
      assert.deepStrictEqual(denied, { says: [notSignedIn, ""], sent: [], went: [] })
      const lost = yield* visit(script, `http://forum.test${path}?state=s&code=c`, () =>
        Promise.reject(new Error("no connection"))
      )
      assert.deepStrictEqual(lost.says, [notSignedIn, ""])
    })
  )
})

layer(TestApp.layer)("the page to come back to with a frontend", (it) => {
  it.effect("is that of the frontend", () =>
    Effect.gen(function* () {
      const answer = yield* call("GET", `${path}?state=s&code=c`)
      assert.strictEqual(answer.status, 302)
      assert.strictEqual(answer.headers.location, "http://www.forum.test")
    })
  )
})
