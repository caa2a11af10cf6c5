/** Many write at the same time, on two instances: everybody who listens is told of everything once, in one order. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { ChangeFeed, type ChangeListening } from "../../src/domain/change/ChangeFeed.ts"
import { EventLog } from "../../src/domain/event/EventLog.ts"
import { PostId } from "../../src/domain/shared/Id.ts"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import * as TestApp from "../support/TestApp.ts"
import { feedElsewhere, listen, standing, toldUntilNow } from "./listening.ts"

const writers = 8
const writesEach = 25

const idOf = (writer: number, write: number, part: number) =>
  PostId.make(`${writer}${String(write).padStart(3, "0")}${part}`.padStart(20, "0"))

/** A write of one to three changes. Some take a while after they have appended, and some are rolled back at last. */
const writeOnce = Effect.fnUntraced(function* (writer: number, write: number) {
  const { append } = yield* EventLog
  const sql = yield* SqlClient.SqlClient
  const transaction = yield* Transaction
  const parts = Array.from({ length: (write % 3) + 1 }, (_, part) => part)
  const events = parts.map(
    (part) => ({ _tag: "ThreadDeleted", id: idOf(writer, write, part), standing }) as const
  )
  const writes = Effect.gen(function* () {
    yield* append(undefined, ...events)
    if (write % 4 === 0) yield* sql`select pg_sleep(${(writer % 4) / 100})`
    if (write % 7 === 6) return yield* Effect.fail("rolled back")
  })
  yield* Effect.ignore(transaction(writes))
})

/** Everything that was committed, in the order in which it may be relied on. */
const committed = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly id: bigint }>`select id from event_log
      where tag = 'ThreadDeleted' order by generation, txid, id`,
    (rows) => rows.map(({ id }) => id)
  )
)

const knownNow = Effect.map(committed, (ids) => new Set(ids))

layer(TestApp.layer)("while many write", (it) => {
  it.effect("each who listens is told of each change once, in the order of the log", () =>
    Effect.gen(function* () {
      const [here, elsewhere] = [yield* ChangeFeed, yield* feedElsewhere]
      const fromTheBeginning = [yield* listen(here), yield* listen(elsewhere), yield* listen(here)]
      const writing = yield* Effect.forkScoped(
        Effect.forEach(
          Array(writers).keys(),
          (writer) => Effect.forEach(Array(writesEach).keys(), (write) => writeOnce(writer, write)),
          { concurrency: "unbounded", discard: true }
        )
      )
      const later: Array<{
        readonly listening: ChangeListening
        readonly before: ReadonlySet<bigint>
        readonly after: ReadonlySet<bigint>
      }> = []
      while (writing.pollUnsafe() === undefined) {
        const before = yield* knownNow
        const listening = yield* listen(later.length % 2 === 0 ? here : elsewhere)
        later.push({ listening, before, after: yield* knownNow })
      }
      yield* Fiber.join(writing)
      const all = yield* committed
      const toldTo = (listening: ChangeListening) =>
        Effect.map(toldUntilNow(listening), (told) =>
          told
            .filter(({ change }) => change.event === "EventThreadDeleted")
            .map(({ position }) => position.id)
        )
      assert.isAbove(all.length, writers * writesEach)
      assert.isAbove(later.length, 2)
      for (const listening of fromTheBeginning) assert.deepStrictEqual(yield* toldTo(listening), all)
      for (const { after, before, listening } of later) {
        const told = yield* toldTo(listening)
        const heard = new Set(told)
        assert.deepStrictEqual(
          told,
          all.filter((id) => heard.has(id))
        )
        for (const id of all) {
          if (before.has(id)) assert.isFalse(heard.has(id), "committed before anybody listened")
          if (!after.has(id)) assert.isTrue(heard.has(id), "committed while somebody listened")
        }
      }
    }).pipe(Effect.scoped)
  )
})
