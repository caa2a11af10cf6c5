import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { call, guest, signUp } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const info = {
  title: "Forum",
  description: "A place to talk and to keep what was learned.",
  content: "<body></body>",
  accent_colour: "#2f6f5e",
  authentication_mode: "handle",
  registration_mode: "public",
  capabilities: ["plugins", "email_client", "sms_client", "oauth"],
  web_address: "http://www.forum.test",
  api_address: "http://forum.test",
  metadata: {}
}

const onboarding = Effect.map(guest.get("/info"), ({ json }) => json.onboarding_status)

layer(TestApp.layer)("an instance", (it) => {
  it.effect("shows its version as plain text", () =>
    Effect.gen(function* () {
      const answer = yield* guest.get("/version")
      assert.strictEqual(answer.status, 200)
      assert.match(answer.headers["content-type"] ?? "", /^text\/plain(;|$)/)
      assert.strictEqual(answer.text, "1.2.3")
    })
  )

  it.effect("describes itself to guests, and their session without an account", () =>
    Effect.gen(function* () {
      const described = { ...info, onboarding_status: "requires_first_account" }
      const open = yield* guest.get("/info")
      assert.strictEqual(open.status, 200, open.text)
      assert.deepStrictEqual(open.json, described)
      const session = yield* guest.get("/session")
      assert.deepStrictEqual(session.json, { info: described, client: { ip_address: "127.0.0.1" } })
      assert.strictEqual(session.headers["cache-control"], "public, no-cache")
      assert.isUndefined(session.headers.etag)
    })
  )

  it.effect("lists the authentication providers", () =>
    Effect.gen(function* () {
      const answer = yield* guest.get("/auth")
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(answer.json, {
        providers: [
          { provider: "password", name: "Password + either username or email" },
          { provider: "webauthn", name: "WebAuthn/Passkey" }
        ],
        mode: "handle"
      })
    })
  )

  it.effect("has an onboarding status: an account, a category, a post, a second account", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* onboarding, "requires_first_account")
      const odin = yield* signUp("odin")
      assert.strictEqual(yield* onboarding, "requires_category")
      const made = yield* odin.post("/categories", { name: "General", description: "", colour: "" })
      assert.strictEqual(made.status, 200, made.text)
      assert.strictEqual(yield* onboarding, "requires_first_post")
      const thread = yield* odin.post("/threads", { title: "First", body: "", visibility: "draft" })
      assert.strictEqual(thread.status, 200, thread.text)
      assert.strictEqual(yield* onboarding, "requires_more_accounts")
      const freya = yield* signUp("freya")
      assert.strictEqual(yield* onboarding, "complete")

      const sql = yield* SqlClient.SqlClient
      yield* sql`update accounts set suspended_at = 'epoch' where id = ${freya.id}`
      yield* odin.delete(`/threads/${thread.json.id}`)
      assert.strictEqual(yield* onboarding, "complete")
    })
  )

  it.effect("shows the account of a session", () =>
    Effect.gen(function* () {
      const loki = yield* signUp("loki")
      const session = yield* loki.get("/session")
      const own = yield* loki.get("/accounts")
      assert.deepStrictEqual(session.json.account, own.json)
      assert.deepStrictEqual(session.json.info, { ...info, onboarding_status: "complete" })
      assert.strictEqual(session.headers["cache-control"], "private, no-cache")
    })
  )

  it.effect("uses the address of the connection, whatever the headers say", () =>
    Effect.gen(function* () {
      const answer = yield* call("GET", "/api/session", {
        headers: {
          "x-forwarded-for": "203.0.113.9",
          "x-real-ip": "203.0.113.9",
          forwarded: "for=203.0.113.9"
        }
      })
      assert.deepStrictEqual(answer.json.client, { ip_address: "127.0.0.1" })
      // Saying to be the server of a frontend makes no other address true.
      const rendering = yield* call("GET", "/api/session", {
        headers: { "x-forwarded-for": "203.0.113.9", "x-storyden-ssr": "true" }
      })
      assert.deepStrictEqual(rendering.json.client, { ip_address: "127.0.0.1", ip_address_ssr: "127.0.0.1" })
    })
  )
})

layer(
  TestApp.layerWhere({
    publicUrl: new URL("https://api.forum.test/forum/"),
    webUrl: new URL("https://forum.test/")
  })
)("the addresses of an instance", (it) => {
  it.effect("are absolute and end without a slash", () =>
    Effect.gen(function* () {
      const { json } = yield* guest.get("/info")
      assert.strictEqual(json.api_address, "https://api.forum.test/forum")
      assert.strictEqual(json.web_address, "https://forum.test")
    })
  )
})
