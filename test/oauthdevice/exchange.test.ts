/** Devices that ask for their tokens. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { pollSecondsMax } from "../../src/domain/oauthdevice/DeviceRules.ts"
import { type Answer, ok } from "../support/answers.ts"
import { administrative, createClient } from "../support/clients.ts"
import {
  approve,
  assertUnknown,
  begin,
  beginCommandLine,
  createDeviceClient,
  decide,
  deviceGrant,
  poll,
  show
} from "../support/devices.ts"
import { fifty } from "../support/fifty.ts"
import * as People from "../support/people.ts"
import { Cast, grant, reinstate, suspend } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { askFor, claimsOf, refresh, refusalIn } from "../support/tokens.ts"

const waiting = Effect.gen(function* () {
  const { odin } = yield* Cast
  const client = yield* createDeviceClient(odin, odin)
  const device = yield* begin(client.client_id)
  const ask = poll(client.client_id, device.device_code)
  return { client, client_id: client.client_id, device, code: device.user_code, ask }
})

const intervalOf = (user_code: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly poll_seconds: number }>`select poll_seconds from oauth_devices
        where user_code = ${user_code.replace("-", "")}`,
      ([row]) => row?.poll_seconds
    )
  )

layer(People.layer)("a device that asks for its tokens", (it) => {
  it.effect("gets them once it is approved, and only once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { ask, client, code } = yield* waiting
      yield* approve(odin, code)
      const answer = yield* ask
      const { access_token, id_token, refresh_token, ...rest } = ok(answer)
      assert.deepStrictEqual(rest, {
        token_type: "Bearer",
        expires_in: 900,
        scope: "openid offline_access CREATE_POST"
      })
      assert.strictEqual(claimsOf(access_token).sub, odin.id)
      assert.strictEqual(claimsOf(id_token).aud, client.client_id)
      assert.notProperty(claimsOf(id_token), "nonce")
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      ok(yield* refresh(client.client_id, refresh_token))
      assert.strictEqual(refusalIn(yield* ask), "400 invalid_grant")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(refusalIn(yield* ask), "400 invalid_grant")
    })
  )

  it.effect("names its code", () =>
    Effect.gen(function* () {
      const { client_id } = yield* waiting
      for (const fields of [{}, { device_code: "" }, { client_id: "nobody" }]) {
        const answer = yield* askFor({ grant_type: deviceGrant, client_id, ...fields })
        assert.strictEqual(refusalIn(answer), "400 invalid_request")
      }
    })
  )

  it.effect("has a client that there is, that is public and has the grant", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client, device } = yield* waiting
      const code = device.device_code
      assert.strictEqual(refusalIn(yield* poll("nobody", code)), "400 invalid_client")
      assert.strictEqual(refusalIn(yield* poll("", code)), "400 invalid_client")
      const confidential = ok(
        yield* odin.post(administrative, {
          account_id: odin.id,
          client_id: "secretive",
          name: "Secretive",
          type: "confidential",
          redirect_uris: [],
          allowed_scopes: [],
          allowed_grants: [deviceGrant]
        })
      )
      const secret = { client_id: confidential.client_id, client_secret: confidential.client_secret }
      assert.strictEqual(
        refusalIn(yield* askFor({ grant_type: deviceGrant, device_code: code, ...secret })),
        "400 unauthorized_client"
      )
      const without = yield* createClient(odin, odin)
      assert.strictEqual(refusalIn(yield* poll(without.client_id, code)), "400 unauthorized_client")
      ok(yield* odin.patch(`${administrative}/${client.id}`, { allowed_grants: ["refresh_token"] }))
      assert.strictEqual(refusalIn(yield* poll(client.client_id, code)), "400 unauthorized_client")
    })
  )

  it.effect("has a code that there is, and of its own client", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { ask, client_id, code, device } = yield* waiting
      const other = yield* createDeviceClient(odin, odin)
      yield* approve(odin, code)
      for (const [id, asked] of [
        [other.client_id, device.device_code],
        [client_id, "x".repeat(43)],
        [client_id, device.user_code],
        [client_id, `${device.device_code}=`]
      ] as const) {
        assert.strictEqual(refusalIn(yield* poll(id, asked)), "400 invalid_grant")
      }
      // Others who ask take nothing from it.
      ok(yield* ask)
    })
  )

  it.effect("waits while nobody has decided, and is told to slow down if it asks too early", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { ask, code } = yield* waiting
      assert.strictEqual(refusalIn(yield* ask), "400 authorization_pending")
      assert.strictEqual(refusalIn(yield* ask), "400 slow_down")
      assert.strictEqual(yield* intervalOf(code), 10)
      // The time begins anew, and is longer for ever.
      yield* TestClock.adjust("9999 millis")
      assert.strictEqual(refusalIn(yield* ask), "400 slow_down")
      assert.strictEqual(yield* intervalOf(code), 15)
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(refusalIn(yield* ask), "400 authorization_pending")
      assert.strictEqual(yield* intervalOf(code), 15)
      yield* TestClock.adjust("14 seconds")
      // An approval makes no difference to that.
      yield* approve(odin, code)
      assert.strictEqual(refusalIn(yield* ask), "400 slow_down")
      yield* TestClock.adjust("20 seconds")
      ok(yield* ask)
    })
  )

  it.effect("waits an hour at most, however often it asks too early", () =>
    Effect.gen(function* () {
      const { ask, code } = yield* waiting
      yield* ask
      const sql = yield* SqlClient.SqlClient
      yield* sql`update oauth_devices set poll_seconds = ${pollSecondsMax - 3} where user_code = ${code.replace("-", "")}`
      assert.strictEqual(refusalIn(yield* ask), "400 slow_down")
      assert.strictEqual(refusalIn(yield* ask), "400 slow_down")
      assert.strictEqual(yield* intervalOf(code), pollSecondsMax)
    })
  )

  it.effect(
    "is told that its code has expired, that it was denied, and that it has its tokens, in this order",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const denied = yield* waiting
        const consumed = yield* waiting
        const pending = yield* waiting
        const approved = yield* waiting
        ok(yield* show(odin, denied.code))
        yield* denied.ask
        ok(yield* decide(odin, denied.code, "deny"))
        // That comes before how often it asks.
        assert.strictEqual(refusalIn(yield* denied.ask), "400 access_denied")
        assert.strictEqual(refusalIn(yield* denied.ask), "400 access_denied")
        yield* approve(odin, consumed.code)
        ok(yield* consumed.ask)
        assert.strictEqual(refusalIn(yield* consumed.ask), "400 invalid_grant")
        yield* pending.ask
        yield* approve(odin, approved.code)
        yield* TestClock.adjust("10 minutes")
        for (const { ask } of [denied, consumed, pending, approved]) {
          assert.strictEqual(refusalIn(yield* ask), "400 expired_token")
        }
      })
  )

  it.effect("gets a refresh token if it may come back, and an ID token if it asked who it is", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const tokensOf = Effect.fnUntraced(function* (scope: string, grants: ReadonlyArray<string>) {
        const { client_id } = yield* createDeviceClient(odin, odin, { allowed_grants: grants })
        const device = yield* begin(client_id, scope)
        yield* approve(odin, device.user_code)
        return ok(yield* poll(client_id, device.device_code))
      })
      const both = [deviceGrant, "refresh_token"]
      assert.property(yield* tokensOf("offline_access", both), "refresh_token")
      assert.notProperty(yield* tokensOf("offline_access", [deviceGrant]), "refresh_token")
      assert.notProperty(yield* tokensOf("CREATE_POST", both), "refresh_token")
      assert.property(yield* tokensOf("openid", both), "id_token")
      assert.deepStrictEqual(Object.keys(yield* tokensOf("", both)).sort(), [
        "access_token",
        "expires_in",
        "scope",
        "token_type"
      ])
    })
  )

  it.effect("of the command line acts with all that the account may do", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      yield* grant(loki, "USE_OAUTH_CLIENTS", "MANAGE_POSTS")
      const device = yield* beginCommandLine
      yield* approve(loki, device.user_code)
      const words = ok(yield* poll("forum-cli", device.device_code)).scope.split(" ")
      assert.deepStrictEqual(words.slice(0, 3), ["openid", "profile", "offline_access"])
      assert.includeMembers(words, ["MANAGE_POSTS", "CREATE_POST", "USE_OAUTH_CLIENTS"])
      assert.notInclude(words, "ADMINISTRATOR")
    })
  )

  it.effect("gets nothing for an account that is suspended", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* grant(freya, "USE_OAUTH_CLIENTS")
      const { ask, code } = yield* waiting
      yield* approve(freya, code)
      yield* suspend(freya)
      assert.strictEqual(refusalIn(yield* ask), "400 invalid_grant")
      yield* reinstate(freya)
      // Nothing was used up.
      ok(yield* ask)
    })
  )
})

const codesOf = (answers: ReadonlyArray<Answer>) => {
  const counts: Record<string, number> = {}
  for (const { json, status } of answers) {
    const name = status === 200 ? "ok" : json.error
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

layer(Layer.provideMerge(TestApp.uncached, People.layer))(
  "of fifty requests at the same moment, on two instances,",
  (it) => {
    it.effect("all of one account claim a code, and none of another", () =>
      Effect.gen(function* () {
        const { freya, odin } = yield* Cast
        yield* grant(freya, "USE_OAUTH_CLIENTS")
        const { code } = yield* waiting
        const answers = yield* fifty((n) => show(n % 4 < 2 ? odin : freya, code))
        const [those, others] = [0, 2].map((k) => answers.filter((_, n) => n % 4 < 2 === (k === 0)))
        const outcomes = [codesOf(those ?? []), codesOf(others ?? [])]
        assert.sameDeepMembers(
          outcomes,
          outcomes[0]?.ok === undefined
            ? [{ access_denied: 26 }, { ok: 24 }]
            : [{ ok: 26 }, { access_denied: 24 }]
        )
      })
    )

    it.effect("one decides", () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const { ask, code } = yield* waiting
        ok(yield* show(odin, code))
        const answers = yield* fifty((n) => decide(odin, code, n % 4 < 2 ? "approve" : "deny"))
        const decided = answers.filter(({ status }) => status === 200)
        assert.lengthOf(decided, 1)
        for (const answer of answers) if (answer.status !== 200) assertUnknown(answer)
        const isApproved = decided[0]?.json.status === "approved"
        const polled = yield* ask
        assert.strictEqual(
          isApproved ? polled.status : refusalIn(polled),
          isApproved ? 200 : "400 access_denied"
        )
      })
    )

    it.effect("one gets the tokens", () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const { ask, client, code } = yield* waiting
        yield* approve(odin, code)
        assert.deepStrictEqual(codesOf(yield* fifty(() => ask)), { ok: 1, invalid_grant: 49 })
        const sql = yield* SqlClient.SqlClient
        assert.lengthOf(yield* sql`select from oauth_grants where client_id = ${client.id}`, 1)
      })
    )

    it.effect("one is in time", () =>
      Effect.gen(function* () {
        const { ask, code } = yield* waiting
        assert.deepStrictEqual(codesOf(yield* fifty(() => ask)), { authorization_pending: 1, slow_down: 49 })
        assert.strictEqual(yield* intervalOf(code), 5 + 49 * 5)
      })
    )
  }
)
