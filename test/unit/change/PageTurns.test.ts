/** Who reads pages of the log waits for few pages of others. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { ClientNetwork } from "../../../src/domain/shared/Client.ts"
import { makePageTurns } from "../../../src/persistence/change/PageTurns.ts"

const [busy, other, third] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((text) => ClientNetwork.make(text))

it.effect("pages of the log are read for networks in turns, two at a time and one of each", () =>
  Effect.gen(function* () {
    if (busy === undefined || other === undefined || third === undefined) return assert.fail()
    const inTurn = makePageTurns()
    const begun: Array<ClientNetwork> = []
    const ends: Array<Deferred.Deferred<void>> = []
    const page = (network: ClientNetwork) =>
      Effect.gen(function* () {
        const end = yield* Deferred.make<void>()
        begun.push(network)
        ends.push(end)
        yield* Deferred.await(end)
      })
    const asking = (network: ClientNetwork) =>
      Effect.forkChild(inTurn(network, page(network)), { startImmediately: true })
    /** Lets the page end that was begun so many pages ago. */
    const end = (which: number) =>
      Effect.andThen(
        Deferred.succeed(ends[which] ?? assert.fail(), undefined),
        Effect.repeat(Effect.yieldNow, { times: 20 })
      )
    for (let n = 0; n < 1000; n++) yield* asking(busy)
    assert.deepStrictEqual(begun, [busy])
    yield* asking(other)
    yield* asking(other)
    yield* asking(third)
    assert.deepStrictEqual(begun, [busy, other])
    yield* end(0)
    assert.deepStrictEqual(begun, [busy, other, third])
    yield* end(1)
    yield* end(2)
    assert.deepStrictEqual(begun.slice(3).toSorted(), [busy, other])
  })
)
