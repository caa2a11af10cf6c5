/** Programs that listen for changes, as those beside the service do. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ChangeFeed, type ChangeListening, type LoggedChange } from "../../src/domain/change/ChangeFeed.ts"
import { type ChangeName, changeNames } from "../../src/domain/change/Changes.ts"
import { EventLog } from "../../src/domain/event/EventLog.ts"
import { InternalErrors } from "../../src/domain/operations/InternalErrors.ts"
import { AccountId, PostId } from "../../src/domain/shared/Id.ts"
import { clientOptions } from "../../src/layers/wiring/Database.ts"
import * as ChangeFeedSql from "../../src/persistence/change/ChangeFeedSql.ts"
import { EventSignal } from "../../src/persistence/event/EventLogSql.ts"
import * as Connections from "../../src/persistence/shared/Connections.ts"
import type { Answer } from "../support/answers.ts"
import { testServer } from "../support/servers.ts"
import { inTime } from "../support/waiting.ts"

/** What the database calls the connections of the other instance. */
export const elsewhereName = "forum-elsewhere"

/** Other pools of connections to this test's database, as another instance of the service has. */
const elsewhere = Layer.unwrap(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly name: string }>`select current_database() as name`
    const server = testServer()
    return Connections.layer({
      ...clientOptions,
      ...server,
      applicationName: elsewhereName,
      password: Redacted.make(server.password),
      database: row?.name ?? "",
      maxConnections: 5
    })
  })
)

/** The feed of another instance: it hears no signal of this one. */
export const feedElsewhere = Layer.fresh(ChangeFeedSql.layer).pipe(
  Layer.provide([
    Layer.fresh(EventSignal.layer),
    Layer.fresh(elsewhere),
    Layer.succeed(InternalErrors, InternalErrors.of({ report: () => Effect.void }))
  ]),
  Layer.build,
  Effect.map((context) => Context.get(context, ChangeFeed))
)

/** Listens by the clock on the wall, as nobody moves the other one while something happens. */
export const listen = (feed: ChangeFeed["Service"], names: ReadonlyArray<ChangeName> = changeNames) =>
  TestClock.withLive(feed.subscribe(names))

/** Of a thread that is published. */
export const standing = {
  thread: { author_id: AccountId.make("0".repeat(20)), visibility: "published" }
} as const

const markerId = PostId.make("markmarkmarkmarkmark")

const isMarker = ({ change }: LoggedChange) => change.event === "EventThreadUpdated" && change.id === markerId

/** What a listener is told of all that was committed until now, in one list. */
export const toldUntilNow = Effect.fnUntraced(function* (listening: ChangeListening) {
  const { append } = yield* EventLog
  yield* append(undefined, { _tag: "ThreadUpdated", id: markerId, standing })
  const told: Array<LoggedChange> = []
  const collect = Effect.gen(function* () {
    while (!told.some(isMarker)) told.push(...(yield* listening.take))
    return told.filter((one) => !isMarker(one))
  })
  return yield* inTime("a listener was not told of what was committed", collect)
})

/** What somebody does, and the changes that others are told of because of it, in their order. */
export const told = <A, E, R>(done: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const listening = yield* listen(yield* ChangeFeed)
    const answer = yield* done
    const changes: ReadonlyArray<object> = (yield* toldUntilNow(listening)).map(({ change }) => change)
    return { answer, changes }
  }).pipe(Effect.scoped)

/** Does something that succeeds, and asserts that others are told of exactly this. */
export const tells = <E, R>(done: Effect.Effect<Answer, E, R>, ...expected: ReadonlyArray<object>) =>
  Effect.map(told(done), ({ answer, changes }) => {
    assert.include([200, 201, 204], answer.status, `${answer.request}: ${answer.text}`)
    assert.deepStrictEqual<unknown>(changes, expected, answer.request)
    return answer.json
  })
