/** The example of the library does what it says. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { makeHandbook } from "../../examples/handbook/handbook.ts"
import * as Client from "../../src/client/Client.ts"
import { password } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

layer(TestApp.layer)("the handbook", (it) => {
  it.effect("is made by a manager of the library, and read and found by guests", () =>
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const baseUrl = HttpServer.formatAddress(address).replace("0.0.0.0", "127.0.0.1")
      const [manager, guest] = [yield* Client.makeFetch({ baseUrl }), yield* Client.makeFetch({ baseUrl })]
      yield* manager.auth.signUp({ payload: { identifier: "odin", token: password } })
      assert.deepStrictEqual(yield* makeHandbook(manager, guest), {
        contains: ["Tools"],
        lightestFirst: ["Hand saw", "Bench drill", "Lathe"],
        newestFirst: ["Hand saw", "Lathe", "Bench drill"],
        wasRefused: true,
        says: "How we work, since March.",
        isAppliedVersion: true,
        foundByContent: ["Handbook"],
        foundByValue: ["Lathe"],
        suggested: ["Hand saw", "Handbook"]
      })
    })
  )
})
