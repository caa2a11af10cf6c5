/** How clients say which ones they are where they get, ask about and end tokens. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createClient, createOwn } from "../support/clients.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { basic, type Fields, postForm, refusalIn } from "../support/tokens.ts"

/** A header of HTTP Basic with this text, which need not be two encoded values. */
const basicOf = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` })

const endpoints: Readonly<Record<string, Fields>> = {
  "/oauth/token": { grant_type: "refresh_token", refresh_token: "x" },
  "/oauth/introspect": { token: "x" },
  "/oauth/revoke": { token: "x" }
}

layer(People.layer)("a client that uses HTTP Basic", (it) => {
  const texts = [
    "",
    ":",
    "alone",
    ":nobody",
    "nobody:x",
    "%:x",
    "nobody:%",
    "%ff:x",
    "%00:x",
    "no%00body:x",
    "nobody:%00",
    "no\u0000body:x",
    "ünknown:x",
    `${"x".repeat(2049)}:x`,
    `forum-cli:${"x".repeat(513)}`
  ]

  it.effect("is refused by its challenge, whatever it names itself by", () =>
    Effect.gen(function* () {
      for (const [path, fields] of Object.entries(endpoints)) {
        for (const text of texts) {
          const answer = yield* postForm(path, fields, basicOf(text))
          assert.strictEqual(refusalIn(answer), "401 invalid_client", `${path} ${JSON.stringify(text)}`)
          assert.strictEqual(answer.headers["www-authenticate"], 'Basic realm="forum.test"')
        }
      }
    })
  )

  it.effect("is refused by its challenge also for what else it is", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client_id } = yield* createClient(odin, odin)
      const { client } = yield* createOwn(odin, { type: "confidential" })
      const document = "https://127.0.0.1/client"
      const refused = [
        // Without a secret nobody may ask.
        ["/oauth/introspect", { token: "x" }, basic(client_id, "")],
        ["/oauth/introspect", { token: "x" }, basic(client.client_id, "fos_wrong")],
        ["/oauth/introspect", { token: "x" }, basic(client.client_id, "")],
        ["/oauth/introspect", { token: "x" }, basic(document, "")],
        ["/oauth/revoke", { token: "x" }, basic(document, "")]
      ] as const
      for (const [path, fields, headers] of refused) {
        const answer = yield* postForm(path, fields, headers)
        assert.strictEqual(refusalIn(answer), "401 invalid_client")
        assert.strictEqual(answer.headers["www-authenticate"], 'Basic realm="forum.test"')
        assert.deepInclude(answer.headers, { "cache-control": "no-store", pragma: "no-cache" })
      }
    })
  )
})

layer(People.layer)("a client that names itself in the form", (it) => {
  it.effect("is refused without a challenge", () =>
    Effect.gen(function* () {
      for (const [path, fields] of Object.entries(endpoints)) {
        for (const client_id of ["nobody", "https://127.0.0.1/client", "ünknown"]) {
          const answer = yield* postForm(path, { ...fields, client_id })
          assert.strictEqual(refusalIn(answer), "400 invalid_client", `${path} ${client_id}`)
          assert.notProperty(answer.headers, "www-authenticate")
        }
      }
    })
  )
})
