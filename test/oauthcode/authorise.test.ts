/** What becomes of browsers that clients send, and of what the people in front of them decide. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import {
  approved,
  asked,
  authorisation,
  consentOf,
  decide,
  exchange,
  leadsTo,
  redirectUri
} from "../support/authorisations.ts"
import { administrative, createClient } from "../support/clients.ts"
import { fifty } from "../support/fifty.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, suspend } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { refusalIn } from "../support/tokens.ts"

/** A client, and Freya who may let clients act for her. */
const begun = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const client = yield* createClient(odin, odin, {
    allowed_scopes: ["openid", "offline_access", "CREATE_POST", "MANAGE_POSTS"]
  })
  yield* grant(freya, "USE_OAUTH_CLIENTS")
  return { client, id: client.client_id }
})

const pageOf = ({ hash, origin, pathname }: URL) => `${origin}${pathname}${hash}`

layer(People.layer)("a browser that a client sends", (it) => {
  it.effect("goes to the page where its person decides", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* begun
      const answer = yield* freya.get(authorisation(id, { scope: "openid CREATE_POST MANAGE_POSTS" }))
      assert.strictEqual(answer.status, 302)
      const page = leadsTo(answer)
      assert.strictEqual(pageOf(page), "http://www.forum.test/oauth/authorize/consent")
      assert.deepStrictEqual([...page.searchParams.keys()], ["request_id"])
      assert.match(page.searchParams.get("request_id") ?? "", /^[A-Za-z0-9_-]{43}$/)
      assert.isUndefined(answer.headers["set-cookie"])
    })
  )

  it.effect("of a guest goes to exactly the page for signing in, and keeps where it was going", () =>
    Effect.gen(function* () {
      const { id } = yield* begun
      const path = authorisation(id)
      const answer = yield* guest.get(path)
      assert.deepStrictEqual([answer.status, answer.headers.location], [302, "http://www.forum.test/login"])
      const cookie = answer.headers["set-cookie"] ?? ""
      assert.match(cookie, /^forum-return=/)
      assert.strictEqual(decodeURIComponent(cookie.split(/[=;]/)[1] ?? ""), `/api${path}`)
    })
  )

  it.effect("is told what is wrong with the request, and never sent on, whoever it is", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* begun
      const invalid = "400 invalid_request"
      const cases = [
        [{ response_type: undefined }, invalid],
        [{ response_type: "" }, invalid],
        [{ response_type: "token" }, "400 unsupported_response_type"],
        [{ response_type: "code id_token" }, "400 unsupported_response_type"],
        [{ client_id: undefined }, invalid],
        [{ redirect_uri: undefined }, invalid],
        [{ code_challenge: undefined }, invalid],
        [{ code_challenge: "x".repeat(42) }, invalid],
        [{ code_challenge: "x".repeat(129) }, invalid],
        [{ code_challenge: `${"x".repeat(42)}+` }, invalid],
        [{ code_challenge_method: undefined }, invalid],
        [{ code_challenge_method: "plain" }, invalid],
        [{ state: "x".repeat(2049) }, invalid],
        [{ nonce: "x".repeat(513) }, invalid]
      ] as const
      for (const [more, expected] of cases) {
        for (const person of [freya, guest]) {
          const answer = yield* person.get(authorisation(id, more))
          assert.strictEqual(refusalIn(answer), expected, JSON.stringify(more))
          assert.isUndefined(answer.headers.location)
        }
      }
    })
  )

  it.effect("is never sent to an address that the client has not registered, letter by letter", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* begun
      assert.strictEqual(refusalIn(yield* freya.get(authorisation("nobody"))), "400 invalid_client")
      for (const redirect_uri of [
        "https://archive.example/callback/",
        "https://archive.example/callback?x=1",
        "https://archive.example/CALLBACK",
        "https://archive.example/call%62ack",
        "https://archive.example:443/callback",
        "https://archive.example:8443/callback",
        "https://archive.example/callback#x",
        "https://archive.example/callback/../callback",
        "https://odin@archive.example/callback",
        "https://archive.example.evil.example/callback",
        "https://evil.example/?https://archive.example/callback",
        "http://archive.example/callback",
        "//archive.example/callback",
        "javascript:alert(1)"
      ]) {
        const answer = yield* freya.get(authorisation(id, { redirect_uri }))
        assert.strictEqual(refusalIn(answer), "400 invalid_request", redirect_uri)
        assert.isUndefined(answer.headers.location)
      }
    })
  )

  it.effect("may come back to any port of this machine where a number names it, and not by its name", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const client = yield* createClient(odin, odin, {
        redirect_uris: [
          "http://127.0.0.1/callback",
          "http://[::1]:8000/callback",
          "http://localhost:9000/callback"
        ]
      })
      for (const redirect_uri of ["http://127.0.0.1:51234/callback", "http://[::1]/callback"]) {
        const answer = yield* freya.get(authorisation(client.client_id, { redirect_uri }))
        assert.strictEqual(answer.status, 302, redirect_uri)
      }
      for (const redirect_uri of ["http://localhost:9001/callback", "http://127.0.0.1:51234/other"]) {
        const answer = yield* freya.get(authorisation(client.client_id, { redirect_uri }))
        assert.strictEqual(refusalIn(answer), "400 invalid_request", redirect_uri)
      }
    })
  )

  it.effect("takes back to the client what the client has to know, with who says so", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const { client, id } = yield* begun
      const back = (answer: Parameters<typeof leadsTo>[0]): Readonly<Record<string, string>> => {
        const url = leadsTo(answer)
        const { error_description, ...rest } = Object.fromEntries(url.searchParams)
        assert.isString(error_description)
        return { to: pageOf(url), ...rest }
      }
      const said = { to: redirectUri, state: "harbour", iss: "http://forum.test" }
      const denied = yield* loki.get(authorisation(id))
      assert.strictEqual(denied.status, 302)
      assert.deepStrictEqual(back(denied), { ...said, error: "access_denied" })
      for (const scope of ["fly", "openid fly", "x".repeat(1024)]) {
        const refused = yield* freya.get(authorisation(id, { scope }))
        assert.deepStrictEqual(back(refused), { ...said, error: "invalid_scope" })
      }
      ok(yield* odin.patch(`${administrative}/${client.id}`, { allowed_grants: ["refresh_token"] }))
      const unauthorised = yield* freya.get(authorisation(id, { state: undefined }))
      const { state: _, ...without } = said
      assert.deepStrictEqual(back(unauthorised), { ...without, error: "unauthorized_client" })
    })
  )

  it.effect("takes it to addresses that have a query, or belong to a program", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const addresses = ["https://archive.example/callback?from=forum", "example.archive:/done"]
      const { client_id } = yield* createClient(odin, odin, { redirect_uris: addresses })
      const locations = yield* Effect.forEach(addresses, (redirect_uri) =>
        Effect.map(
          loki.get(authorisation(client_id, { redirect_uri })),
          ({ headers }) => headers.location ?? ""
        )
      )
      assert.match(
        locations[0] ?? "",
        /^https:\/\/archive\.example\/callback\?from=forum&error=access_denied&/
      )
      assert.match(locations[1] ?? "", /^example\.archive:\/done\?error=access_denied&/)
    })
  )

  it.effect("of somebody who was suspended gets nothing", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      const { id } = yield* begun
      yield* grant(tyr, "USE_OAUTH_CLIENTS")
      yield* suspend(tyr)
      const answer = yield* tyr.get(authorisation(id))
      assert.strictEqual(leadsTo(answer).searchParams.get("error"), "access_denied")
      assert.strictEqual((yield* tyr.get(consentOf("x"))).status, 403)
    })
  )
})

layer(People.layer)("a question to somebody", (it) => {
  it.effect("says what the client asks for, and what it would get as roles are now", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { client, id } = yield* begun
      const scope = "openid email CREATE_POST MANAGE_POSTS READ_PROFILE"
      const request_id = yield* asked(freya, id, { scope })
      const { expires_at, ...shown } = ok(yield* freya.get(consentOf(request_id)))
      assert.isString(expires_at)
      assert.deepStrictEqual(shown, {
        request_id,
        client_id: id,
        client_name: client.name,
        redirect_uri: redirectUri,
        requested_scopes: scope.split(" "),
        granted_scopes: ["openid", "email", "CREATE_POST"],
        inherits_user_permissions: false
      })
      yield* grant(freya, "MANAGE_POSTS")
      const again = ok(yield* freya.get(consentOf(request_id)))
      assert.deepStrictEqual(again.granted_scopes, ["openid", "email", "CREATE_POST", "MANAGE_POSTS"])
    })
  )

  it.effect("is to that account alone, by cookie or key, until it is decided or has expired", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* grant(odin, permission)
      const { id } = yield* begun
      yield* grant(loki, "USE_OAUTH_CLIENTS")
      const request = yield* asked(freya, id)
      assert.strictEqual((yield* guest.get(consentOf(request))).status, 401)
      const program = yield* withKey(odin)
      const theirs = yield* asked(program, id)
      ok(yield* program.get(consentOf(theirs)))
      for (const [person, question] of [
        [loki, request],
        [freya, theirs],
        [freya, nobody],
        [freya, "x".repeat(43)],
        [freya, ""]
      ] as const) {
        assert.strictEqual(refusalIn(yield* person.get(consentOf(question))), "400 invalid_request")
        assert.strictEqual(refusalIn(yield* decide(person, question, "approve")), "400 invalid_request")
        assert.strictEqual(refusalIn(yield* decide(person, question, "deny")), "400 invalid_request")
      }
      assert.strictEqual(refusalIn(yield* freya.get("/oauth/authorize/consent")), "400 invalid_request")
      assert.strictEqual(refusalIn(yield* decide(freya, request, "perhaps")), "400 invalid_request")
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(refusalIn(yield* freya.get(consentOf(request))), "400 invalid_request")
      assert.strictEqual(refusalIn(yield* decide(freya, request, "approve")), "400 invalid_request")
    })
  )

  it.effect("that is approved or denied leads to the client, and cannot be decided again", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* begun
      for (const [decision, status] of [
        ["approve", "approved"],
        ["deny", "denied"]
      ] as const) {
        const request = yield* asked(freya, id)
        const answer = ok(yield* decide(freya, request, decision))
        assert.strictEqual(answer.status, status)
        const url = new URL(answer.location)
        assert.strictEqual(pageOf(url), redirectUri)
        const { code, ...rest } = Object.fromEntries(url.searchParams)
        const said = { state: "harbour", iss: "http://forum.test" }
        assert.deepStrictEqual(rest, status === "denied" ? { ...said, error: "access_denied" } : said)
        if (status === "approved") assert.match(code ?? "", /^[A-Za-z0-9_-]{43}$/)
        for (const another of ["approve", "deny"]) {
          assert.strictEqual(refusalIn(yield* decide(freya, request, another)), "400 invalid_request")
        }
        assert.strictEqual(refusalIn(yield* freya.get(consentOf(request))), "400 invalid_request")
      }
    })
  )

  it.effect("cannot be read or approved by who may no longer use clients, but denied", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* begun
      const request = yield* asked(freya, id)
      yield* SqlClient.SqlClient.use((sql) => sql`delete from account_roles where account_id = ${freya.id}`)
      assert.strictEqual(refusalIn(yield* freya.get(consentOf(request))), "400 access_denied")
      assert.strictEqual(refusalIn(yield* decide(freya, request, "approve")), "400 access_denied")
      ok(yield* decide(freya, request, "deny"))
    })
  )

  it.effect("is neither shown nor approved once the client has taken its address back, but denied", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client, id } = yield* begun
      const request = yield* asked(freya, id)
      const patch = (redirect_uris: ReadonlyArray<string>) =>
        Effect.map(odin.patch(`${administrative}/${client.id}`, { redirect_uris }), ok)
      yield* patch([`${redirectUri}/moved`])
      assert.strictEqual(refusalIn(yield* freya.get(consentOf(request))), "400 invalid_request")
      assert.strictEqual(refusalIn(yield* decide(freya, request, "approve")), "400 invalid_request")
      yield* patch([`${redirectUri}/moved`, redirectUri])
      ok(yield* freya.get(consentOf(request)))
      yield* patch([`${redirectUri}/moved`])
      ok(yield* decide(freya, request, "deny"))
    })
  )

  it.effect("goes with its client", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client, id } = yield* begun
      const request = yield* asked(freya, id)
      yield* odin.delete(`${administrative}/${client.id}`)
      assert.strictEqual(refusalIn(yield* decide(freya, request, "approve")), "400 invalid_request")
    })
  )

  it.effect("is forgotten where fifty others have followed it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* begun
      const request = yield* asked(freya, id)
      const code = yield* approved(freya, id)
      assert.isNotEmpty(code)
      for (let n = 0; n < 49; n++) yield* asked(freya, id)
      ok(yield* freya.get(consentOf(request)))
      yield* asked(freya, id)
      assert.strictEqual(refusalIn(yield* freya.get(consentOf(request))), "400 invalid_request")
    })
  )
})

layer(People.withCast(TestApp.layerWhere({ oauthEnabled: false })))("while OAuth is off", (it) => {
  it.effect("nobody is asked, and nothing can be decided", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const off = "400 temporarily_unavailable"
      assert.strictEqual(refusalIn(yield* odin.get(authorisation("forum-cli"))), off)
      assert.strictEqual(refusalIn(yield* odin.get(consentOf("x".repeat(43)))), off)
      assert.strictEqual(refusalIn(yield* decide(odin, "x".repeat(43), "deny")), off)
      assert.strictEqual((yield* guest.get(authorisation("forum-cli"))).status, 302)
      assert.strictEqual(refusalIn(yield* exchange("forum-cli", "x".repeat(43))), "400 invalid_request")
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))(
  "a question to somebody, on two instances",
  (it) => {
    it.effect("is decided once by fifty at a time", () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const { id } = yield* begun
        const request = yield* asked(freya, id)
        const answers = yield* fifty((n) => decide(freya, request, n % 4 < 2 ? "approve" : "deny"))
        assert.lengthOf(
          answers.filter(({ status }) => status === 200),
          1
        )
      })
    )
  }
)
