/** Devices, as administrators see them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Devices } from "../../src/domain/oauthdevice/Devices.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { approve, begin, createDeviceClient, decide, deviceRecords, poll, show } from "../support/devices.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

const at = (seconds: number) => new Date(seconds * 1000).toISOString()

layer(People.layer)("devices", (it) => {
  it.effect("are listed with what became of them, newest first, until their codes expire", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* grant(freya, "USE_OAUTH_CLIENTS")
      const client = yield* createDeviceClient(odin, odin)
      const waiting = yield* begin(client.client_id)
      const approved = yield* begin(client.client_id, "openid CREATE_POST MANAGE_POSTS")
      const denied = yield* begin(client.client_id, "")
      const consumed = yield* begin(client.client_id)
      yield* TestClock.adjust("3 seconds")
      // Who has read a code is told to nobody.
      ok(yield* show(odin, waiting.user_code))
      yield* poll(client.client_id, waiting.device_code)
      yield* poll(client.client_id, waiting.device_code)
      yield* approve(freya, approved.user_code)
      ok(yield* show(odin, denied.user_code))
      ok(yield* decide(odin, denied.user_code, "deny"))
      yield* approve(odin, consumed.user_code)
      yield* TestClock.adjust("1 second")
      ok(yield* poll(client.client_id, consumed.device_code))

      const { device_authorisations } = ok(yield* odin.get(deviceRecords))
      const common = { createdAt: at(0), client_id: client.id, expires_at: at(600) }
      const [last, third, second, first] = device_authorisations.map(
        ({ id, ...rest }: { readonly id: string }) => {
          assert.match(id, /^[0-9a-v]{19}[0g]$/)
          return rest
        }
      )
      assert.lengthOf(device_authorisations, 4)
      assert.deepStrictEqual(first, {
        ...common,
        user_code: waiting.user_code,
        scope: "openid offline_access CREATE_POST",
        poll_interval_seconds: 10,
        last_polled_at: at(3)
      })
      assert.deepStrictEqual(second, {
        ...common,
        user_code: approved.user_code,
        scope: "openid CREATE_POST",
        poll_interval_seconds: 5,
        approved_by_account_id: freya.id,
        approved_at: at(3)
      })
      assert.deepStrictEqual(third, {
        ...common,
        user_code: denied.user_code,
        scope: "",
        poll_interval_seconds: 5,
        denied_at: at(3)
      })
      assert.deepStrictEqual(last, {
        ...common,
        user_code: consumed.user_code,
        scope: "openid offline_access CREATE_POST",
        poll_interval_seconds: 5,
        last_polled_at: at(4),
        approved_by_account_id: odin.id,
        approved_at: at(3),
        consumed_at: at(4)
      })
      assertProblem(yield* guest.get(deviceRecords), Unauthenticated)
      assertProblem(yield* loki.get(deviceRecords), Forbidden, { permission: "ADMINISTRATOR" })
      yield* grant(odin, permission)
      assert.lengthOf(ok(yield* (yield* withKey(odin)).get(deviceRecords)).device_authorisations, 4)

      yield* TestClock.adjust("595 seconds")
      const { forgetOld } = yield* Devices
      yield* forgetOld
      assert.lengthOf(ok(yield* odin.get(deviceRecords)).device_authorisations, 4)
      yield* TestClock.adjust("1 second")
      yield* forgetOld
      assert.lengthOf(ok(yield* odin.get(deviceRecords)).device_authorisations, 0)
    })
  )
})
