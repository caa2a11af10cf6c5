/** Access tokens of OAuth as credentials: whom they identify, and what they let do. */
import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { AccountStronger } from "../../src/domain/account/Account.ts"
import { takenBy } from "../../src/domain/shared/Access.ts"
import {
  AccessTokenRefused,
  CookieRequired,
  Forbidden,
  Unauthenticated
} from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { partsOf, signed, signedByMac, signingKey, unsigned } from "../support/jwts.ts"
import { createKey, permission as keysPermission } from "../support/keys.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, call, grant, type Person, personByKey, signUp, suspend } from "../support/people.ts"
import { assertProblem, problemOf } from "../support/problems.ts"
import { member } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"
import { granted, withToken } from "../support/tokens.ts"

const all = "ADMINISTRATOR MANAGE_SETTINGS"

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

layer(Layer.provideMerge(TestApp.uncached, People.layer))("an access token", (it) => {
  it.effect("identifies its account, on every instance, also where a thread is read with the caller", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const program = yield* withToken(freya, "READ_PUBLISHED_THREADS")
      const { id } = ok(yield* freya.post("/threads", { title: "A draft of freya" }))
      const elsewhere = yield* TestApp.UncachedClient
      for (const client of [yield* HttpClient.HttpClient, elsewhere]) {
        const get = (path: string) => Effect.provideService(program.get(path), HttpClient.HttpClient, client)
        assert.strictEqual(ok(yield* get("/accounts")).handle, "freya")
        assert.strictEqual(ok(yield* get("/session")).account.handle, "freya")
        assert.strictEqual(ok(yield* get(`/threads/${id}`)).title, "A draft of freya")
      }
    })
  )

  it.effect("lets do what is among its scopes and what the account holds, and names what is missing", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const settings = { title: "Asgard" }
      ok(yield* (yield* withToken(odin, "MANAGE_SETTINGS")).patch("/admin", settings))
      for (const [person, scope] of [
        [odin, "openid VIEW_ACCOUNTS"],
        [odin, ""],
        [freya, all]
      ] as const) {
        const refused = yield* (yield* withToken(person, scope)).patch("/admin", settings)
        assertProblem(refused, Forbidden, { permission: "MANAGE_SETTINGS" })
      }
      // Guests may read what this token may not.
      ok(yield* People.guest.get("/threads"))
      const refused = yield* (yield* withToken(freya, "CREATE_POST")).get("/threads")
      assertProblem(refused, Forbidden, { permission: "READ_PUBLISHED_THREADS" })
    })
  )

  it.effect("counts where no session does, and beside a session does not", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { access } = yield* granted("forum-cli", freya, "")
      const handleOf = (cookies: ReadonlyArray<string>) =>
        Effect.map(
          call("GET", "/api/accounts", {
            headers: { ...bearer(access), cookie: cookies.map((one) => `forum-session=${one}`).join("; ") }
          }),
          (answer) => ok(answer).handle
        )
      assert.strictEqual(yield* handleOf([odin.cookie ?? ""]), "odin")
      assert.strictEqual(yield* handleOf(["x", odin.cookie ?? ""]), "odin")
      for (const cookies of [["x"], ["A".repeat(43)], ["A".repeat(43), "B".repeat(43)]]) {
        assert.strictEqual(yield* handleOf(cookies), "freya")
      }
      // A token is no session, and no key.
      assertProblem(
        yield* call("GET", "/api/accounts", { headers: { cookie: `forum-session=${access}` } }),
        Unauthenticated
      )
    })
  )

  it.effect("gives nobody permissions that it does not have itself, though its account holds them", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const program = yield* withToken(odin, "MANAGE_ROLES")
      const role = { name: "Keepers", colour: "", permissions: ["MANAGE_SETTINGS"] }
      assertProblem(yield* program.post("/roles", role), Forbidden, { permission: "MANAGE_SETTINGS" })
      const { id } = ok(yield* odin.post("/roles", role))
      assertProblem(yield* program.put(`/accounts/freya/roles/${id}`), Forbidden, {
        permission: "MANAGE_SETTINGS"
      })
      assertProblem(
        yield* program.patch(`/roles/${id}`, { permissions: ["MANAGE_SETTINGS", "VIEW_ACCOUNTS"] }),
        Forbidden,
        { permission: "VIEW_ACCOUNTS" }
      )
      const both = yield* withToken(odin, "MANAGE_ROLES MANAGE_SETTINGS")
      ok(yield* both.put(`/accounts/freya/roles/${id}`))
      ok(yield* both.delete(`/accounts/freya/roles/${id}`))
    })
  )

  it.effect("does not touch the sign-in of an account that may do more than the token", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const target = yield* signUp("bragi")
      yield* grant(target, "MANAGE_ROLES")
      const askWith = (program: Person) => program.post(`/accounts/${target.id}/auth/password/reset-token`)
      const held = member.permissions.join(" ")
      assertProblem(yield* askWith(yield* withToken(odin, `MANAGE_ACCOUNTS ${held}`)), AccountStronger, {
        permission: "MANAGE_ROLES"
      })
      ok(yield* askWith(yield* withToken(odin, `MANAGE_ACCOUNTS MANAGE_ROLES ${held}`)))
    })
  )

  it.effect("makes a guest of who presents one that was forged, is foreign, or has expired", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { access } = yield* granted("forum-cli", odin, all)
      const { claims, header } = partsOf(access)
      const key = yield* signingKey
      const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 })
      const publicPem = createPublicKey(key).export({ type: "spki", format: "pem" })
      const jti = createHash("sha256").update("another").digest("base64url").slice(0, 16)
      const [text = ""] = access.split(/\.[^.]*$/)
      const tokens: Readonly<Record<string, string>> = {
        "unsigned, and saying so": unsigned({ ...header, alg: "none" }, claims),
        unsigned: unsigned(header, claims),
        "signed with the public key": signedByMac(publicPem, { ...header, alg: "HS256" }, claims),
        "signed with the public key as RS256": signedByMac(publicPem, header, claims),
        "signed by a stranger": signed(stranger.privateKey, header, claims),
        "signed by a stranger who brings the key": signed(
          stranger.privateKey,
          { alg: "RS256", jwk: stranger.publicKey.export({ format: "jwk" }) },
          claims
        ),
        "of another key": signed(key, { ...header, kid: "0000000000000000" }, claims),
        "of another issuer": signed(key, header, { ...claims, iss: "http://evil.test" }),
        "for another service": signed(key, header, { ...claims, aud: "http://forum.test/mcp/sse" }),
        "for a client, as ID tokens are": signed(key, header, { ...claims, aud: "forum-cli" }),
        "with an unknown scope": signed(key, header, { ...claims, scope: "ALL" }),
        "never issued": signed(key, header, { ...claims, jti }),
        "with other scopes": `${text.split(".")[0]}.${Buffer.from(
          JSON.stringify({ ...claims, scope: `${claims.scope} MANAGE_ROLES` })
        ).toString("base64url")}.${access.split(".")[2]}`,
        "cut off": access.slice(0, -1),
        "without a signature": text,
        malformed: "eyJ.eyJ.eyJ",
        short: "ey",
        long: `ey${"J".repeat(7_000)}`
      }
      const refused = Effect.fnUntraced(function* (token: string, about: string) {
        const program = personByKey(token, odin.id)
        assertProblem(yield* program.patch("/admin", { title: "Jotunheim" }), Unauthenticated)
        assert.notProperty(ok(yield* program.get("/session")), "account", about)
        ok(yield* program.get("/threads"))
      })
      for (const [about, token] of Object.entries(tokens)) yield* refused(token, about)
      ok(yield* personByKey(access, odin.id).patch("/admin", { title: "Asgard" }))
      yield* TestClock.adjust("15 minutes")
      yield* refused(access, "expired")
    })
  )
})

layer(People.layer)("every operation", (it) => {
  it.effect("takes access tokens, but for those that declare other credentials", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const program = yield* withToken(odin, all)
      for (const { access, id, method, path } of operations) {
        const answer = yield* call(method, path, { headers: program.headers })
        if (takenBy(access) === "cookie") assertProblem(answer, CookieRequired)
        else if (takenBy(access) === "cookie or key") assertProblem(answer, AccessTokenRefused)
        else if (access._tag !== "Public") {
          assert.notInclude(
            ["cookie-required", "access-token-refused", "unauthenticated", "forbidden"],
            answer.status < 400 ? "" : problemOf(answer),
            id
          )
        }
      }
    })
  )

  it.effect("that makes a credential takes none, so that no token becomes more than it is", () =>
    Effect.gen(function* () {
      const refused = operations.filter(({ access }) => takenBy(access) === "cookie or key")
      assert.includeMembers(
        refused.map(({ id }) => id),
        // Whoever adds an address signs in with it, or resets the password.
        ["AccountEmailAdd", "AccountEmailRemove", "AccountAuthMethodDelete"]
      )
      const person = yield* signUp("sif")
      yield* grant(person, keysPermission)
      const { id } = yield* createKey(person)
      const program = yield* withToken(person, keysPermission)
      assertProblem(yield* program.post("/auth/access-keys", { name: "Key" }), CookieRequired)
      assert.deepStrictEqual(ok(yield* program.get("/auth/access-keys")).keys.length, 1)
      // Whoever finds a key that has leaked may end it.
      assert.strictEqual((yield* program.delete(`/auth/access-keys/${id}`)).status, 204)
      yield* suspend(person)
      assertProblem(yield* program.post("/auth/access-keys", { name: "Key" }), CookieRequired)
    })
  )
})
