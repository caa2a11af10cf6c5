/** Which of the credentials of a request says who calls. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { takenBy } from "../../src/domain/shared/Access.ts"
import { AccessTokenRequired, CookieRequired, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { createKey, permission, withKey } from "../support/keys.ts"
import * as Logs from "../support/logs.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, call, grant, personIn, signIn, signUp, suspend } from "../support/people.ts"
import { assertProblem, problemOf } from "../support/problems.ts"
import * as Spans from "../support/spans.ts"

const read = (headers: Readonly<Record<string, string>>, path = "/accounts") =>
  call("GET", `/api${path}`, { headers })

const keyOf = Effect.fnUntraced(function* (handle: string) {
  const person = yield* signUp(handle)
  yield* grant(person, permission)
  const { secret }: { readonly secret: string } = yield* createKey(person)
  return { person, secret }
})

layer(People.layer)("a bearer token", (it) => {
  it.effect("that is no valid key makes a guest", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { secret } = yield* keyOf("vali")
      const other = secret.endsWith("A") ? "B" : "A"
      for (const authorization of [
        "Bearer",
        "Bearer ",
        "Bearer fpk_",
        `bearer ${secret}`,
        `BEARER ${secret}`,
        `Basic ${secret}`,
        secret,
        `Bearer ${secret} x`,
        `Bearer ${secret}${other}`,
        `Bearer ${secret.slice(0, -1)}`,
        `Bearer ${secret.slice(0, -1)}${other}`,
        `Bearer ${secret.slice("fpk_".length)}`,
        `Bearer ${secret.replace("fpk_", "fbk_")}`,
        `Bearer ${secret.toUpperCase()}`,
        `Bearer ${odin.cookie}`,
        `Bearer fpk_${odin.cookie}`,
        `Bearer fpk_${"A".repeat(43)}`,
        `Bearer fpk_${"x".repeat(3_000)}`
      ]) {
        assertProblem(yield* read({ authorization }), Unauthenticated)
        const session = ok(yield* read({ authorization }, "/session"))
        assert.notProperty(session, "account", authorization)
      }
      for (const authorization of [`Bearer ${secret}`, `Bearer   ${secret}`]) {
        assert.strictEqual(ok(yield* read({ authorization })).handle, "vali")
      }
      // A key is no session.
      assertProblem(yield* read({ cookie: `forum-session=${secret}` }), Unauthenticated)
      assertProblem(yield* read({ cookie: `forum-session=${secret.slice(4)}` }), Unauthenticated)
    })
  )

  it.effect("counts where no session does", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { secret } = yield* keyOf("hel")
      const ended = personIn(yield* signIn("freya"))
      yield* ended.post("/auth/logout")
      const { id: draft } = ok(yield* freya.post("/threads", { title: "A draft of freya" }))
      const authorization = `Bearer ${secret}`
      const junk = ["x", "A".repeat(43), ended.cookie]
      for (const [cookies, handle] of [
        [[freya.cookie], "freya"],
        [["x", freya.cookie, "y"], "freya"],
        ...junk.map((one) => [[one], "hel"] as const),
        [junk, "hel"]
      ] as const) {
        const cookie = cookies.map((value) => `forum-session=${value}`).join("; ")
        const headers = { authorization, cookie }
        assert.strictEqual(ok(yield* read(headers)).handle, handle, cookie)
        // Operations on threads identify the caller together with the thread.
        const thread = yield* read(headers, `/threads/${draft}`)
        assert.strictEqual(thread.status === 200, handle === "freya", cookie)
      }
    })
  )

  it.effect("beside a session makes the session the credential, so that the cookie counts", () =>
    Effect.gen(function* () {
      const { person, secret } = yield* keyOf("hod")
      const headers = { ...person.headers, authorization: `Bearer ${secret}` }
      const body = { name: "Second" }
      assert.strictEqual((yield* call("POST", "/api/auth/access-keys", { headers, body })).status, 200)
      const junk = { cookie: "forum-session=x", authorization: `Bearer ${secret}` }
      assertProblem(yield* call("POST", "/api/auth/access-keys", { headers: junk, body }), CookieRequired)
    })
  )
})

layer(People.layer)("every operation", (it) => {
  it.effect("takes access keys, but for those that declare the session cookie, or access tokens", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const program = yield* withKey(odin)
      const refused = operations.filter(({ access }) => takenBy(access) === "cookie")
      assert.deepStrictEqual(refused.map(({ id }) => id).sort(), [
        "AccessKeyCreate",
        "AccountErasureCancel",
        "AccountErasureGet",
        "AccountErasureRequest",
        "AccountExportDownload",
        "AccountExportGet",
        "AccountExportRequest",
        "AuthPasswordCreate",
        "AuthPasswordUpdate",
        "AuthProviderLogout",
        "OAuthClientCreate",
        "OAuthClientDelete",
        "OAuthClientGet",
        "OAuthClientList",
        "OAuthClientUpdate",
        "OAuthDeviceConsent",
        "OAuthDeviceConsentSubmit",
        "OAuthProviderCallback",
        "OAuthProviderStart",
        "OAuthRefreshTokenDelete",
        "OAuthRefreshTokenList",
        "OAuthRemoteCallback",
        "WebAuthnMakeCredential",
        "WebAuthnRequestCredential"
      ])
      for (const operation of operations) {
        const { access, id, method, path } = operation
        const answer = yield* call(method, path, { headers: program.headers })
        if (refused.includes(operation)) assertProblem(answer, CookieRequired)
        else if (takenBy(access) === "token") assertProblem(answer, AccessTokenRequired)
        else if (access._tag !== "Public") {
          assert.notInclude(
            ["cookie-required", "unauthenticated", "forbidden"],
            answer.status < 400 ? "" : problemOf(answer),
            id
          )
        }
      }
      assert.strictEqual((yield* odin.get("/accounts")).status, 200)
    })
  )

  it.effect("that needs the cookie refuses the key of a suspended account for the key", () =>
    Effect.gen(function* () {
      const { person, secret } = yield* keyOf("idle")
      yield* suspend(person)
      const headers = { authorization: `Bearer ${secret}` }
      assertProblem(yield* call("POST", "/api/auth/logout", { headers }), CookieRequired)
    })
  )
})

const watched = Layer.provideMerge(People.layer, Layer.merge(Logs.layer, Spans.layer))

layer(watched)("the secret of a key", (it) => {
  it.effect("is in no log and in no trace", () =>
    Effect.gen(function* () {
      const { person, secret } = yield* keyOf("magni")
      const headers = { authorization: `Bearer ${secret}` }
      yield* read(headers)
      yield* read(headers, "/threads?page=x")
      yield* call("POST", "/api/threads", { headers, body: { title: 1 } })
      yield* call("POST", "/api/threads", { headers, body: "{" })
      yield* call("POST", "/api/auth/logout", { headers })
      yield* call("GET", "/api/nothing", { headers })
      yield* call("DELETE", "/api/auth/access-keys/x", { headers })
      assert.strictEqual((yield* person.get("/accounts")).status, 200)
      const lines = (yield* Logs.Logs).map(({ text }) => text)
      const spans = yield* Spans.Spans
      assert.isAbove(lines.length, 5)
      assert.isAbove(spans.length, 20)
      for (const text of [...lines, ...spans]) {
        assert.notInclude(text, secret)
        assert.notInclude(text, secret.slice("fpk_".length))
      }
    })
  )
})
