/** Signing up with a passkey. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { HandleInvalid, HandleTaken } from "../../src/domain/account/Account.ts"
import { PasskeyTaken } from "../../src/domain/authentication/Passkey.ts"
import { RegistrationClosed } from "../../src/domain/authentication/Password.ts"
import { CookieRequired } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { base64url, makePasskey } from "../support/authenticator.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, personIn, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { admin, held, member } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"
import { askForCreation, sendCreation, signInWith, signUpWith } from "./support.ts"

layer(TestApp.layer)("the first account with a passkey", (it) => {
  it.effect("is the administrator, whatever the mode and the invitation, and signs in with it", () =>
    Effect.gen(function* () {
      const passkey = makePasskey()
      const { options, state } = yield* askForCreation("Odin")
      const answer = yield* sendCreation(passkey.create(options), state, { invitation: nobody })
      const { id } = ok(answer)
      assert.deepStrictEqual(answer.json, { id })
      const own = ok(yield* personIn(answer).get("/accounts"))
      assert.strictEqual(own.handle, "odin")
      assert.strictEqual(own.name, "odin")
      assert.strictEqual(own.admin, true)
      assert.deepStrictEqual(own.roles, [held(admin), held(member)])
      assert.deepStrictEqual(own.auth_services, ["webauthn"])
      assert.notProperty(own, "invited_by")
      const again = yield* signInWith("odin", passkey)
      assert.deepStrictEqual(ok(again), { id })
      assert.strictEqual(ok(yield* personIn(again).get("/accounts")).id, id)
      const sql = yield* SqlClient.SqlClient
      const [{ id: passkeyId } = { id: "" }] = yield* sql<{ readonly id: string }>`select id from passkeys`
      assert.deepStrictEqual(yield* sql`select event from event_log where actor_id = ${id} order by id`, [
        { event: { _tag: "AccountCreated", id } },
        { event: { _tag: "PasskeyAdded", id: passkeyId, account_id: id } }
      ])
    })
  )
})

layer(People.layer)("what a browser is asked for to make a passkey", (it) => {
  it.effect("is a key of a usual kind for the host of the web address, and no attestation", () =>
    Effect.gen(function* () {
      yield* Cast
      const answer = yield* guest.get("/auth/webauthn/make/Sif")
      const { challenge, user, ...rest } = ok(answer).publicKey
      assert.match(challenge, /^[A-Za-z0-9_-]{43}$/)
      assert.match(user.id, /^[A-Za-z0-9_-]{43}$/)
      assert.deepStrictEqual(user, { id: user.id, name: "sif", displayName: "sif" })
      assert.deepStrictEqual(rest, {
        rp: { id: "www.forum.test", name: "Forum" },
        pubKeyCredParams: [
          { type: "public-key", alg: -8 },
          { type: "public-key", alg: -7 },
          { type: "public-key", alg: -257 }
        ],
        timeout: 600_000,
        excludeCredentials: [],
        authenticatorSelection: {
          residentKey: "preferred",
          requireResidentKey: false,
          userVerification: "preferred"
        },
        attestation: "none"
      })
    })
  )

  it.effect("comes with a state in a cookie of ten minutes that no script reads, and is never the same", () =>
    Effect.gen(function* () {
      const [one, other] = [
        yield* guest.get("/auth/webauthn/make/sif"),
        yield* guest.get("/auth/webauthn/make/sif")
      ]
      const [pair = "", ...attributes] = (one.headers["set-cookie"] ?? "").split("; ")
      assert.match(pair, /^forum-webauthn=[\w.-]+$/)
      assert.deepStrictEqual(attributes.sort(), [
        "Expires=Thu, 01 Jan 1970 00:10:00 GMT",
        "HttpOnly",
        "Path=/",
        "SameSite=Lax"
      ])
      assert.notStrictEqual(one.headers["set-cookie"], other.headers["set-cookie"])
      assert.notStrictEqual(one.json.publicKey.challenge, other.json.publicKey.challenge)
      assert.notStrictEqual(one.json.publicKey.user.id, other.json.publicKey.user.id)
    })
  )

  it.effect("is refused for a handle that somebody has, and for one that nobody may have", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      for (const person of [guest, loki]) {
        assertProblem(yield* person.get("/auth/webauthn/make/FREYA"), HandleTaken, { handle: "freya" })
      }
      assertProblem(yield* guest.get("/auth/webauthn/make/-x"), HandleInvalid, {
        handle: "-x",
        rule: "characters"
      })
      assertProblem(yield* guest.get("/auth/webauthn/make/admin"), HandleInvalid, {
        handle: "admin",
        rule: "reserved"
      })
    })
  )

  it.effect("writes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { options } = yield* askForCreation("sif")
      const [{ count } = { count: -1 }] = yield* sql<{
        readonly count: number
      }>`select (select count(*) from passkeys) + (select count(*) from sealed_states_used) as count`
      assert.equal(Number(count), 0, JSON.stringify(options))
    })
  )

  it.effect("tells nothing of the ids of accounts", () =>
    Effect.gen(function* () {
      yield* Cast
      const { options, state } = yield* askForCreation("gefjon")
      const passkey = makePasskey()
      const { id } = ok(yield* sendCreation(passkey.create(options), state))
      const told = Buffer.from(state.split(".")[0] ?? "", "base64url").toString()
      // The second and the process, which all ids of this moment begin with.
      for (const text of [told, Buffer.from(options.publicKey.user.id, "base64url").toString()]) {
        assert.notInclude(text, id.slice(0, 14))
      }
    })
  )
})

layer(People.layer)("signing up with a passkey", (it) => {
  it.effect.each(["ES256", "RS256", "EdDSA"] as const)("takes keys of %s", (algorithm) =>
    Effect.gen(function* () {
      yield* Cast
      const handle = algorithm.toLowerCase()
      const passkey = makePasskey({ algorithm })
      const { id } = yield* signUpWith(handle, passkey)
      assert.deepStrictEqual(ok(yield* signInWith(handle, passkey)), { id })
    })
  )

  it.effect("takes keys without user verification, and those that do not count", () =>
    Effect.gen(function* () {
      yield* Cast
      const passkey = makePasskey({ counts: false })
      const { options, state } = yield* askForCreation("simple")
      ok(yield* sendCreation(passkey.create(options, { flags: 0x41 }), state))
      for (const _ of [1, 2]) ok(yield* signInWith("simple", passkey, { flags: 1 }))
    })
  )

  it.effect("takes an answer that says more than was asked, and ignores what it says of the device", () =>
    Effect.gen(function* () {
      yield* Cast
      const passkey = makePasskey()
      const { options, state } = yield* askForCreation("talkative")
      // A statement that would be wrong if anybody looked at it.
      const credential = passkey.create(options, {
        statement: ["packed", new Map([["x5c", [Uint8Array.of(1, 2, 3)]]])],
        transports: ["internal", "hybrid", "telepathy", "internal"]
      })
      ok(yield* sendCreation({ ...credential, unknown: true }, state))
      const { options: asked } = yield* Effect.map(
        guest.get("/auth/webauthn/assert/talkative"),
        (answer) => ({
          options: ok(answer)
        })
      )
      assert.deepStrictEqual(asked.publicKey.allowCredentials, [
        { type: "public-key", id: passkey.id, transports: ["internal", "hybrid"] }
      ])
      ok(yield* signInWith("talkative", passkey))
    })
  )

  it.effect("takes keys made for a page at any of the origins of the instance", () =>
    Effect.gen(function* () {
      yield* Cast
      const origins = ["http://www.forum.test", "http://forum.test", "https://app.forum.test"]
      for (const [index, origin] of origins.entries()) {
        const { options, state } = yield* askForCreation(`from${index}`)
        ok(yield* sendCreation(makePasskey().create(options, { origin }), state))
      }
    })
  )

  it.effect("makes another account for someone who is signed in", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const { options, state } = yield* askForCreation("thokk", loki)
      const answer = yield* sendCreation(makePasskey().create(options), state, { person: loki })
      assert.strictEqual(ok(yield* personIn(answer).get("/accounts")).handle, "thokk")
      assert.strictEqual(ok(yield* loki.get("/accounts")).handle, "loki")
    })
  )

  it.effect("refuses a handle that was given away meanwhile", () =>
    Effect.gen(function* () {
      yield* Cast
      const { options, state } = yield* askForCreation("contested")
      yield* signUp("contested")
      assertProblem(yield* sendCreation(makePasskey().create(options), state), HandleTaken, {
        handle: "contested"
      })
    })
  )

  it.effect("gives a handle to one of many who ask for it at once", () =>
    Effect.gen(function* () {
      yield* Cast
      const asked = yield* Effect.forEach(Array(20).keys(), () => askForCreation("wanted"))
      const answers = yield* Effect.forEach(
        asked,
        ({ options, state }) => sendCreation(makePasskey().create(options), state),
        { concurrency: "unbounded" }
      )
      const [winner, ...others] = answers.sort((a, b) => a.status - b.status)
      assert.strictEqual(winner?.status, 200)
      for (const other of others) assertProblem(other, HandleTaken, { handle: "wanted" })
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual((yield* sql`select from passkeys where account_id = ${winner?.json.id}`).length, 1)
    })
  )

  it.effect("refuses a passkey that belongs to an account, and leaves nothing of the sign-up", () =>
    Effect.gen(function* () {
      yield* Cast
      const passkey = makePasskey()
      yield* signUpWith("first", passkey)
      const { options, state } = yield* askForCreation("second")
      assertProblem(yield* sendCreation(passkey.create(options), state), PasskeyTaken)
      yield* signUp("second")
    })
  )

  it.effect("takes no access key", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      yield* grant(loki, permission)
      const program = yield* withKey(loki)
      assertProblem(yield* program.get("/auth/webauthn/make/loki"), CookieRequired)
      const { options, state } = yield* askForCreation("program")
      const body = makePasskey().create(options)
      assertProblem(
        yield* program.post("/auth/webauthn/make", body, { cookie: `forum-webauthn=${state}` }),
        CookieRequired
      )
    })
  )

  it.effect("keeps the longest ids and largest keys that there are, and no larger ones", () =>
    Effect.gen(function* () {
      yield* Cast
      const long = makePasskey({ id: new Uint8Array(1023).fill(7), algorithm: "RS256", modulusLength: 4096 })
      yield* signUpWith("long", long)
      ok(yield* signInWith("long", long))
      const { options, state } = yield* askForCreation("longer")
      const longer = makePasskey({ id: new Uint8Array(1024).fill(7) })
      assertInvalid(yield* sendCreation(longer.create(options), state), "body id", "body rawId")
    })
  )

  it.effect("names passkeys after what keeps them, if it says so", () =>
    Effect.gen(function* () {
      yield* Cast
      const known = makePasskey({ aaguid: "bada5566-a7aa-401f-bd96-45619a55120d" })
      const person = yield* signUpWith("named", known)
      const { active } = ok(yield* person.get("/accounts/self/auth-methods"))
      assert.strictEqual(active[0].name, "1Password")
      assert.strictEqual(active[0].identifier, base64url(Buffer.from(known.id, "base64url")))
    })
  )
})

layer(People.layer)("who may sign up with a passkey", (it) => {
  const mode = (registration_mode: "public" | "invitation" | "disabled") =>
    Effect.flatMap(Cast, ({ odin }) => Effect.map(odin.patch("/admin", { registration_mode }), ok))

  const join = Effect.fnUntraced(function* (handle: string, invitation?: string) {
    const { options, state } = yield* askForCreation(handle)
    const more = invitation === undefined ? {} : { invitation }
    return yield* sendCreation(makePasskey().create(options), state, more)
  })

  it.effect("is decided by the registration mode and the invitation, as for passwords", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* odin.post("/invitations"))
      const invited = personIn(yield* join("invited", id))
      assert.strictEqual(ok(yield* invited.get("/accounts")).invited_by.handle, "odin")
      assertProblem(yield* join("lost", nobody), RegistrationClosed, {
        registration_mode: "public",
        invitation_id: nobody
      })
      assertInvalid(yield* join("lost", "x"), "query invitation_id")

      yield* mode("invitation")
      assertProblem(yield* join("lost"), RegistrationClosed, { registration_mode: "invitation" })
      ok(yield* join("welcome", id))
      ok(yield* odin.delete(`/invitations/${id}`))
      assertProblem(yield* join("lost", id), RegistrationClosed, {
        registration_mode: "invitation",
        invitation_id: id
      })

      yield* mode("disabled")
      assertProblem(yield* join("lost"), RegistrationClosed, { registration_mode: "disabled" })
      yield* mode("public")
      ok(yield* join("lost"))
    })
  )
})
