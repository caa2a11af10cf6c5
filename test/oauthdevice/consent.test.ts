/** Devices: what people are shown of one, and decide. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountSuspended, CookieRequired, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { Permission } from "../../src/domain/shared/Permission.ts"
import { ok } from "../support/answers.ts"
import { administrative } from "../support/clients.ts"
import { untilWaiting } from "../support/database.ts"
import {
  approve,
  assertUnknown,
  begin,
  beginCommandLine,
  consentPath,
  createDeviceClient,
  decide,
  poll,
  show
} from "../support/devices.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, json, reinstate, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { refusalIn } from "../support/tokens.ts"

const scope = "openid offline_access CREATE_POST"

/** A client for devices, and the code of a device that waits. Freya and Loki may use programs, Tyr may not. */
const waiting = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const client = yield* createDeviceClient(odin, odin)
  const device = yield* begin(client.client_id, scope)
  return { client, device, code: device.user_code, freya }
})

const allowed = Effect.gen(function* () {
  const { freya, loki } = yield* Cast
  yield* grant(freya, "USE_OAUTH_CLIENTS")
  return yield* grant(loki, "USE_OAUTH_CLIENTS")
})

/** Takes a role from somebody. */
const withdraw = (role: string) =>
  SqlClient.SqlClient.use((sql) => sql`delete from account_roles where role_id = ${role}`)

layer(People.layer)("a device that waits", (it) => {
  it.effect("is shown to whom may use programs, with what it asks for and would be granted", () =>
    Effect.gen(function* () {
      yield* allowed
      const { client, code, device, freya } = yield* waiting
      assert.deepStrictEqual(ok(yield* show(freya, code)), {
        user_code: code,
        client_id: client.client_id,
        client_name: client.name,
        expires_at: "1970-01-01T00:10:00.000Z",
        requested_scopes: scope.split(" "),
        granted_scopes: scope.split(" "),
        inherits_user_permissions: false
      })
      assert.match(device.user_code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
      // It can be read again.
      ok(yield* show(freya, code))
    })
  )

  it.effect("would be granted what the account holds of what it asks for, as of now", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const client = yield* createDeviceClient(odin, odin)
      const device = yield* begin(client.client_id, "CREATE_POST MANAGE_POSTS")
      const code = device.user_code
      assert.deepStrictEqual(ok(yield* show(freya, code)).granted_scopes, ["CREATE_POST"])
      const role = yield* grant(freya, "MANAGE_POSTS")
      assert.deepStrictEqual(ok(yield* show(freya, code)).granted_scopes, ["CREATE_POST", "MANAGE_POSTS"])
      yield* withdraw(role)
      ok(yield* decide(freya, code))
      assert.strictEqual(ok(yield* poll(client.client_id, device.device_code)).scope, "CREATE_POST")
    })
  )

  it.effect("is nobody else's, if somebody is about to claim it", () =>
    Effect.gen(function* () {
      yield* allowed
      const { loki } = yield* Cast
      const { code, freya } = yield* waiting
      const sql = yield* SqlClient.SqlClient
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`update oauth_devices set claimed_by = ${freya.id} where user_code = ${code.replace("-", "")}`
          const asked = yield* Effect.forkChild(show(loki, code))
          yield* untilWaiting(1)
          return asked
        })
      )
      assert.strictEqual(refusalIn(yield* Fiber.join(asked)), "400 access_denied")
      ok(yield* show(freya, code))
    })
  )

  it.effect("is granted what was gained since it was shown", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const client = yield* createDeviceClient(odin, odin)
      const device = yield* begin(client.client_id, "MANAGE_POSTS")
      assert.deepStrictEqual(ok(yield* show(freya, device.user_code)).granted_scopes, [])
      const role = yield* grant(freya, "MANAGE_POSTS")
      ok(yield* decide(freya, device.user_code))
      yield* withdraw(role)
      assert.strictEqual(ok(yield* poll(client.client_id, device.device_code)).scope, "MANAGE_POSTS")
    })
  )

  it.effect("that asks for no permission by name inherits all that the account may do", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const device = yield* beginCommandLine
      const shown = ok(yield* show(odin, device.user_code))
      assert.strictEqual(shown.client_id, "forum-cli")
      // It has the name of the instance.
      assert.strictEqual(shown.client_name, ok(yield* odin.get("/info")).title)
      assert.isTrue(shown.inherits_user_permissions)
      assert.deepStrictEqual(shown.requested_scopes, ["openid", "profile", "offline_access"])
      assert.deepStrictEqual(shown.granted_scopes.slice(0, 3), shown.requested_scopes)
      assert.include(shown.granted_scopes, "ADMINISTRATOR")
      assert.isTrue(
        shown.granted_scopes.slice(3).every((word: string) => Permission.literals.some((one) => one === word))
      )
    })
  )
})

layer(People.layer)("what there is to decide", (it) => {
  it.effect("is read and decided with a session alone", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* allowed
      const { code } = yield* waiting
      assertProblem(yield* show(guest, code), Unauthenticated)
      assertProblem(yield* decide(guest, code), Unauthenticated)
      yield* grant(odin, permission)
      const program = yield* withKey(odin)
      assertProblem(yield* show(program, code), CookieRequired)
      assertProblem(yield* decide(program, code), CookieRequired)
      yield* suspend(loki)
      assertProblem(yield* show(loki, code), AccountSuspended)
      yield* reinstate(loki)
      // None of these has claimed it.
      yield* approve(freya, code)
    })
  )

  it.effect(
    "is neither read nor approved without USE_OAUTH_CLIENTS, whatever the code, and may be denied",
    () =>
      Effect.gen(function* () {
        const { tyr } = yield* Cast
        const { code } = yield* waiting
        for (const typed of [code, "0000-0000", "", "x".repeat(33)]) {
          assert.strictEqual(refusalIn(yield* show(tyr, typed)), "400 access_denied")
          assert.strictEqual(refusalIn(yield* decide(tyr, typed)), "400 access_denied")
        }
        assert.deepStrictEqual((yield* show(tyr, code)).json, (yield* show(tyr, "0000-0000")).json)
        // It is nobody's, so that it can be denied by nobody either.
        assertUnknown(yield* decide(tyr, code, "deny"))
        const role = yield* grant(tyr, "USE_OAUTH_CLIENTS")
        ok(yield* show(tyr, code))
        yield* withdraw(role)
        assert.strictEqual(refusalIn(yield* show(tyr, code)), "400 access_denied")
        assert.strictEqual(refusalIn(yield* decide(tyr, code)), "400 access_denied")
        assert.deepStrictEqual(ok(yield* decide(tyr, code, "deny")), { status: "denied" })
      })
  )

  it.effect("is unknown where the code is malformed, unknown or absent, in the same words", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const codes = [
        "",
        " ",
        "ABC",
        "ABCD-EFG",
        "ABCDEFGHJ",
        "UUUU-UUUU",
        "AB_D-EFGH",
        "ÄBCD-EFGH",
        "0000-0000"
      ]
      for (const typed of [...codes, `${" ".repeat(25)}00000000`, "-".repeat(33)]) {
        assertUnknown(yield* show(odin, typed))
        assertUnknown(yield* decide(odin, typed))
        assertUnknown(yield* decide(odin, typed, "deny"))
      }
      assertUnknown(yield* odin.get(consentPath))
    })
  )

  it.effect("is unknown once the code has expired", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { code } = yield* waiting
      const { code: claimed } = yield* waiting
      ok(yield* show(odin, claimed))
      yield* TestClock.adjust("599 seconds")
      ok(yield* show(odin, claimed))
      yield* TestClock.adjust("1 second")
      for (const expired of [code, claimed]) {
        assertUnknown(yield* show(odin, expired))
        assertUnknown(yield* decide(odin, expired))
        assertUnknown(yield* decide(odin, expired, "deny"))
      }
    })
  )

  it.effect("is unknown once it was decided, and once the device has its tokens", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const assertOver = Effect.fnUntraced(function* (code: string) {
        assertUnknown(yield* show(odin, code))
        assertUnknown(yield* decide(odin, code))
        assertUnknown(yield* decide(odin, code, "deny"))
      })
      const { client, code, device } = yield* waiting
      yield* approve(odin, code)
      yield* assertOver(code)
      ok(yield* poll(client.client_id, device.device_code))
      yield* assertOver(code)
      const { code: denied } = yield* waiting
      ok(yield* show(odin, denied))
      assert.deepStrictEqual(ok(yield* decide(odin, denied, "deny")), { status: "denied" })
      yield* assertOver(denied)
    })
  )

  it.effect("belongs to who has read it first, to everybody else it is as an unknown one", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* allowed
      const { code } = yield* waiting
      // Nobody has read it.
      assertUnknown(yield* decide(loki, code))
      assertUnknown(yield* decide(loki, code, "deny"))
      ok(yield* show(freya, code))
      const another = yield* show(loki, code)
      assert.strictEqual(refusalIn(another), "400 access_denied")
      assert.strictEqual(
        another.json.error_description,
        (yield* show(loki, "0000-0000")).json.error_description
      )
      assertUnknown(yield* decide(loki, code))
      assertUnknown(yield* decide(loki, code, "deny"))
      assert.deepStrictEqual(ok(yield* decide(freya, code)), { status: "approved" })
      assertUnknown(yield* show(loki, code))
    })
  )

  it.effect("is found by the code in any form that is meant well", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { code } = yield* waiting
      yield* sql`update oauth_devices set user_code = '01AB1XYZ' where user_code = ${code.replace("-", "")}`
      const forms = ["01AB-1XYZ", "01ab1xyz", " OlAb-iXyZ ", "OIAB--LXYZ-", "-o-1-a-b-1-x-y-z-"]
      for (const typed of [...forms, `${" ".repeat(24)}OIABLXYZ`]) {
        assert.strictEqual(ok(yield* show(odin, typed)).user_code, "01AB-1XYZ", typed)
      }
      ok(yield* decide(odin, "oiab-lxyz"))
    })
  )

  it.effect("goes with its client", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client, code, device } = yield* waiting
      ok(yield* show(odin, code))
      assert.strictEqual((yield* odin.delete(`${administrative}/${client.id}`)).status, 204)
      assertUnknown(yield* show(odin, code))
      assertUnknown(yield* decide(odin, code))
      assert.strictEqual(refusalIn(yield* poll(client.client_id, device.device_code)), "400 invalid_client")
    })
  )

  it.effect("is approve or deny, and nothing else", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { code } = yield* waiting
      ok(yield* show(odin, code))
      const bodies = [
        { user_code: code },
        { decision: "approve" },
        { user_code: code, decision: "maybe" },
        { user_code: 1, decision: "deny" }
      ]
      for (const body of [...bodies, { user_code: "x".repeat(257), decision: "deny" }, "{"]) {
        assert.strictEqual(refusalIn(yield* odin.post(consentPath, body, json)), "400 invalid_request")
      }
      assert.strictEqual(refusalIn(yield* show(odin, "x".repeat(257))), "400 invalid_request")
      ok(yield* decide(odin, code))
    })
  )
})

layer(People.withCast(TestApp.layerWhere({ oauthEnabled: false })))("without OAuth", (it) => {
  it.effect("nothing is shown or decided", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      for (const person of [odin, tyr]) {
        assert.strictEqual(refusalIn(yield* show(person, "0000-0000")), "400 temporarily_unavailable")
        assert.strictEqual(refusalIn(yield* decide(person, "0000-0000")), "400 temporarily_unavailable")
      }
      assertProblem(yield* show(guest, "0000-0000"), Unauthenticated)
    })
  )
})
