/** The page to come back to from remote servers, where there is no frontend. */
import { createHash } from "node:crypto"
import { runInNewContext } from "node:vm"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const path = "/oauth/remote/callback"

const scriptOf = (html: string) => /<script>([\s\S]*)<\/script>/.exec(html)?.[1] ?? assert.fail(html)

/** Runs the script of the page at this address, in a browser that has only what it needs. */
const visit = (script: string, address: string, answer: () => Promise<Response>) =>
  Effect.promise(async () => {
    const heading = { textContent: "Connecting…" }
    const url = new URL(address)
    const asked: Array<string> = []
    runInNewContext(script, {
      URLSearchParams,
      document: { querySelector: () => heading },
      location: { search: url.search },
      fetch: (to: string) => {
        asked.push(new URL(to, url).href)
        return answer()
      }
    })
    await new Promise(setImmediate)
    return { says: heading.textContent, asked }
  })

const answered = (status: number, body: unknown) => () =>
  Promise.resolve(new Response(JSON.stringify(body), { status }))

const same = { publicUrl: new URL("http://forum.test"), webUrl: new URL("http://forum.test") }

layer(TestApp.layerWhere(same))("the page to come back to without a frontend", (it) => {
  it.effect("runs its own script alone, and is not kept", () =>
    Effect.gen(function* () {
      const answer = yield* call("GET", `${path}?state=s&code=c`)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "text/html; charset=utf-8")
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assert.strictEqual(answer.headers["referrer-policy"], "no-referrer")
      const hash = createHash("sha256").update(scriptOf(answer.text)).digest("base64")
      const policy = answer.headers["content-security-policy"] ?? ""
      assert.include(policy, `script-src 'sha256-${hash}';`)
      assert.include(policy, "default-src 'none'")
      // Nothing of the address is in the page.
      assert.strictEqual((yield* call("GET", `${path}?error=%3Cscript%3E`)).text, answer.text)
    })
  )

  it.effect("hands over what the browser brings, and says what came of it", () =>
    Effect.gen(function* () {
      const script = scriptOf((yield* call("GET", path)).text)
      const connection = { resource_url: "https://archive.test/mcp", resource_name: "Archive" }
      const brought = "state=s%26x&code=c&iss=https%3A%2F%2Fid.test"
      const good = yield* visit(
        script,
        `http://forum.test/under${path}?${brought}&session_state=other`,
        answered(200, { connection })
      )
      assert.deepStrictEqual(good, {
        says: "Connected to Archive",
        asked: [`http://forum.test/under/api${path}?${brought}`]
      })
      const unnamed = yield* visit(
        script,
        `http://forum.test${path}?state=s&code=c`,
        answered(200, { connection: { resource_url: connection.resource_url } })
      )
      assert.deepStrictEqual(unnamed, {
        says: "Connected to https://archive.test/mcp",
        asked: [`http://forum.test/api${path}?state=s&code=c`]
      })
      const refused = yield* visit(script, `http://forum.test${path}?code=c`, answered(400, { title: "No" }))
      assert.strictEqual(refused.says, "No")
      const denied = yield* visit(script, `http://forum.test${path}?error=access_denied`, answered(500, {}))
      assert.deepStrictEqual(denied, { says: "The server did not approve the connection", asked: [] })
      const lost = yield* visit(script, `http://forum.test${path}?code=c`, () =>
        Promise.reject(new Error("no connection"))
      )
      assert.strictEqual(lost.says, "The service did not answer")
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
