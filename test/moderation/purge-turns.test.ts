/** Of two that remove the same, the one that has lost its turn changes nothing. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PurgeStore } from "../../src/domain/moderation/PurgeStore.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

const at = (minutes: number) => DateTime.makeUnsafe(minutes * 60_000)

const due = SqlClient.SqlClient.use(
  (sql) => sql`select extract(epoch from due_at)::int / 60 as minutes from purges`
)

layer(People.layer)("an entry of what is to be removed", (it) => {
  it.effect("is changed by whoever took it last, and by nobody else", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const store = yield* PurgeStore
      const transaction = yield* Transaction
      const [accountId, enactedBy] = [AccountId.make(loki.id), AccountId.make(odin.id)]
      const request = (minutes: number) =>
        transaction(
          store.request({ accountId, enactedBy, contents: ["threads"], at: at(minutes) }, at(minutes + 5))
        )
      const [first] = yield* request(0)
      assert.isUndefined(yield* store.take(at(4), at(14)))
      const second = yield* store.take(at(10), at(20))
      if (first === undefined || second === undefined) return assert.fail("Nothing was taken")
      assert.isUndefined(yield* store.take(at(19), at(29)))
      assert.isFalse(yield* store.keep(first, at(90)))
      assert.isTrue(yield* store.keep(second, at(20)))
      const [third] = yield* request(11)
      if (third === undefined) return assert.fail("Nothing was asked for")
      for (const lost of [first, second]) {
        assert.isFalse(yield* store.keep(lost, at(90)))
        yield* store.release(lost, at(90))
        yield* store.finish(lost)
        assert.deepStrictEqual(yield* due, [{ minutes: 16 }])
      }
      assert.isTrue(yield* store.keep(third, at(30)))
      assert.deepStrictEqual(yield* due, [{ minutes: 30 }])
      yield* store.release(third, at(40))
      assert.deepStrictEqual(yield* due, [{ minutes: 40 }])
      yield* store.finish(third)
      assert.deepStrictEqual(yield* due, [])
      return undefined
    })
  )

  it.effect("begins anew when it is asked for again, with all tries, by and for whoever asks", () =>
    Effect.gen(function* () {
      const { loki, odin, tyr } = yield* Cast
      const store = yield* PurgeStore
      const transaction = yield* Transaction
      const accountId = AccountId.make(loki.id)
      const request = (by: People.Person, minutes: number) =>
        transaction(
          store.request(
            { accountId, enactedBy: AccountId.make(by.id), contents: ["likes"], at: at(minutes) },
            at(minutes)
          )
        )
      yield* request(odin, 0)
      for (let tries = 1; tries <= 10; tries++) {
        assert.deepInclude(yield* store.take(at(tries), at(tries)), { tries, requestedAt: at(0) })
      }
      const anew = { tries: 0, requestedAt: at(20), enactedBy: AccountId.make(tyr.id) }
      assert.deepInclude((yield* request(tyr, 20))[0], anew)
      // Of two requests, the one that began later may come first.
      assert.deepInclude((yield* request(tyr, 19))[0], anew)
      const last = yield* store.take(at(30), at(40))
      if (last === undefined) return assert.fail("Nothing was taken")
      assert.deepInclude(last, { ...anew, tries: 1 })
      return yield* store.finish(last)
    })
  )

  it.effect("is taken by one, while others take what nobody works on", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      const context = yield* Effect.context<never>()
      const store = yield* PurgeStore
      const transaction = yield* Transaction
      const enactedBy = AccountId.make(odin.id)
      for (const [{ id }, minutes] of [
        [freya, 50],
        [tyr, 51]
      ] as const) {
        yield* transaction(
          store.request(
            { accountId: AccountId.make(id), enactedBy, contents: ["nodes"], at: at(minutes) },
            at(minutes)
          )
        )
      }
      const take = store.take(at(60), at(90))
      // On another connection, which does not wait for the first one.
      const elsewhere = Effect.promise(() => Effect.runPromiseWith(context)(take))
      const both = yield* transaction(Effect.all([take, elsewhere]))
      assert.deepStrictEqual(
        both.map((taken) => taken?.accountId),
        [freya, tyr].map(({ id }) => AccountId.make(id))
      )
    })
  )
})
