import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { IpNetwork } from "effect/net"
import { guest } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const loopback = ["127.0.0.0/8", "::1/128"].map((text) => IpNetwork.fromStringUnsafe(text))

const addressSeen = (forwarded: Record<string, string>) =>
  Effect.map(guest.get("/session", { headers: forwarded }), (answer) => answer.json.client.ip_address)

layer(TestApp.layerWhere({ trustedProxies: loopback }))("behind a trusted proxy", (it) => {
  it.effect("the client address is the one that the proxy added", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* addressSeen({ "x-forwarded-for": "203.0.113.9" }), "203.0.113.9")
      assert.strictEqual(yield* addressSeen({ "x-forwarded-for": "2001:db8::7" }), "2001:db8::7")
      // Addresses further left come from the client and prove nothing.
      assert.strictEqual(
        yield* addressSeen({ "x-forwarded-for": "198.51.100.1, 203.0.113.9" }),
        "203.0.113.9"
      )
    })
  )

  it.effect("the client address is the proxy's if the header names none", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* addressSeen({}), "127.0.0.1")
      assert.strictEqual(yield* addressSeen({ "x-forwarded-for": "nobody" }), "127.0.0.1")
    })
  )
})

layer(TestApp.layer)("without a trusted proxy", (it) => {
  it.effect("the client address is the one of the connection, whatever the header says", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* addressSeen({ "x-forwarded-for": "203.0.113.9" }), "127.0.0.1")
    })
  )
})
