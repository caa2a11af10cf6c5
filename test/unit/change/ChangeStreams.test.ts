/** How a stream goes from the log to what comes, and what waits for its reader. */
import { assert, describe, it } from "@effect/vitest"
import { type Array as Arr, Context, DateTime, Effect, Layer } from "effect"
import type { Audience } from "../../../src/domain/change/Audience.ts"
import {
  ChangeFeed,
  type CurrentChange,
  changeIdOf,
  type Hear,
  type LoggedChange,
  waitingMax
} from "../../../src/domain/change/ChangeFeed.ts"
import { ChangeLog, type LogPage } from "../../../src/domain/change/ChangeLog.ts"
import {
  type ChangeStream,
  ChangeStreams,
  type StreamReader
} from "../../../src/domain/change/ChangeStreams.ts"
import { type ChangeName, changeNames } from "../../../src/domain/change/Changes.ts"
import type { Actor } from "../../../src/domain/shared/Actor.ts"
import { ClientNetwork } from "../../../src/domain/shared/Client.ts"
import { AccountId, PostId } from "../../../src/domain/shared/Id.ts"
import { eventsOf, sending } from "../../../src/http/change/ChangeEvents.ts"
import { nothing } from "./standings.ts"

const guest: Actor = { _tag: "Guest", permissions: new Set() }

const member: Actor = {
  _tag: "Account",
  accountId: AccountId.make("0".repeat(20)),
  permissions: new Set(),
  suspended: false,
  credential: "cookie"
}

const positionOf = (n: number) => ({ generation: 1, txid: "1", id: BigInt(n) })

const change = (n: number, size = 100, audience: Audience = { _tag: "Everyone" }): CurrentChange => ({
  id: changeIdOf(0, BigInt(n)),
  position: positionOf(n),
  at: DateTime.makeUnsafe(0),
  change: { event: "EventThreadUpdated", id: PostId.make("0".repeat(20)) },
  audience,
  now: nothing,
  size
})

const page = (next: number, isPart: boolean, ...numbers: ReadonlyArray<number>): LogPage => ({
  changes: numbers.map((n) => change(n)),
  now: nothing,
  next: positionOf(next),
  isPart
})

/** Streams of a log that is read in these pages; `hear` is told of what comes. */
const streamsOf = Effect.fnUntraced(function* (...pages: ReadonlyArray<LogPage>) {
  const rest = [...pages]
  const hearing = new Set<Hear>()
  const log = Layer.mock(ChangeLog, {
    read: () => Effect.succeed(rest.shift() ?? page(9, false))
  })
  const feed = Layer.mock(ChangeFeed, {
    tell: (hear) =>
      Effect.acquireRelease(Effect.sync(() => hearing.add(hear)).pipe(Effect.as(positionOf(0))), () =>
        Effect.sync(() => hearing.delete(hear))
      )
  })
  const context = yield* Layer.build(Layer.provide(ChangeStreams.layer, Layer.merge(log, feed)))
  const { follow } = Context.get(context, ChangeStreams)
  return {
    hearing,
    follow: (reader: Partial<StreamReader> = {}) =>
      follow(
        {
          callerNow: () => guest,
          names: changeNames,
          network: ClientNetwork.make("192.0.2.1"),
          lost: () => {},
          ...reader
        },
        positionOf(0)
      )
  }
})

const numbersOf = (changes: ReadonlyArray<LoggedChange>) => changes.map(({ position }) => Number(position.id))

/** Reads the log of a stream to its end, and answers what it told. */
const readLog = Effect.fnUntraced(function* ({ isLogRead, next }: ChangeStream) {
  const told: Array<number> = []
  while (!isLogRead()) told.push(...numbersOf(yield* next))
  return told
})

/** Lets all who hear know of changes that came together. */
const come = (hearing: Iterable<Hear>, ...changes: Arr.NonEmptyReadonlyArray<CurrentChange>) => {
  for (const hear of hearing) hear(changes)
}

describe("a stream", () => {
  it.effect("tells the log, what came while it was read, and what comes, each once", () =>
    Effect.gen(function* () {
      const { follow, hearing } = yield* streamsOf(
        page(2, true, 1, 2),
        page(3, false, 3),
        page(5, false, 4, 5)
      )
      const stream = yield* follow()
      assert.deepStrictEqual(numbersOf(yield* stream.next), [1, 2])
      assert.strictEqual(hearing.size, 0)
      assert.deepStrictEqual(numbersOf(yield* stream.next), [3])
      come(hearing, change(4), change(5), change(6))
      assert.deepStrictEqual(yield* readLog(stream), [4, 5])
      come(hearing, change(7))
      const told: Array<ReadonlyArray<number>> = []
      yield* stream.passOn((changes) => told.push(numbersOf(changes)))
      assert.deepStrictEqual(told, [[6], [7]])
      come(hearing, change(8), change(9))
      assert.deepStrictEqual(told, [[6], [7], [8, 9]])
    }).pipe(Effect.scoped)
  )

  it.effect("ends with its scope", () =>
    Effect.gen(function* () {
      const { follow, hearing } = yield* streamsOf()
      yield* Effect.scoped(Effect.flatMap(follow(), readLog))
      assert.strictEqual(hearing.size, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("tells what its reader wants and may know, the same bytes to all who are told the same", () =>
    Effect.gen(function* () {
      const { follow, hearing } = yield* streamsOf()
      const told = new Map<string, Array<ReadonlyArray<LoggedChange>>>()
      const names: ReadonlyArray<ChangeName> = ["EventThreadDeleted"]
      for (const [name, reader] of [
        ["one", {}],
        ["other", {}],
        ["a member", { callerNow: () => member }],
        ["updates", { names: ["EventThreadUpdated"] }],
        ["deletions", { names }]
      ] as const) {
        const stream = yield* follow(reader)
        yield* readLog(stream)
        const parts: Array<ReadonlyArray<LoggedChange>> = []
        told.set(name, parts)
        yield* stream.passOn((changes) => parts.push(changes))
      }
      come(hearing, change(10), change(11, 100, { _tag: "Nobody" }), change(12))
      const [one] = told.get("one") ?? []
      assert.deepStrictEqual(numbersOf(one ?? []), [10, 12])
      for (const name of ["other", "a member", "updates"]) {
        const [other] = told.get(name) ?? []
        assert.strictEqual(one, other, name)
        assert.strictEqual(eventsOf(one ?? []), eventsOf(other ?? []), name)
      }
      assert.deepStrictEqual(told.get("deletions"), [])
    }).pipe(Effect.scoped)
  )

  it.effect("tells readers who want as many but others what they want", () =>
    Effect.gen(function* () {
      const { follow, hearing } = yield* streamsOf()
      const told: Array<ReadonlyArray<number>> = []
      for (const name of ["EventThreadUpdated", "EventThreadDeleted"] as const) {
        const stream = yield* follow({ names: [name] })
        yield* readLog(stream)
        yield* stream.passOn((changes) => told.push(numbersOf(changes)))
      }
      const deletion = { event: "EventThreadDeleted", id: PostId.make("0".repeat(20)) } as const
      come(hearing, change(10), { ...change(11), change: deletion })
      assert.deepStrictEqual(told, [[10], [11]])
    }).pipe(Effect.scoped)
  )

  for (const [what, changes] of [
    ["many changes", Array.from({ length: waitingMax.changes + 1 }, (_, n) => change(n + 10))],
    ["many bytes", [change(10, waitingMax.bytes), change(11, 1)]]
  ] as const) {
    it.effect(`is lost, once and at once, when as ${what} came as may not wait while it read the log`, () =>
      Effect.gen(function* () {
        let lost = 0
        const { follow, hearing } = yield* streamsOf()
        const stream = yield* follow({ lost: () => (lost += 1) })
        yield* stream.next
        for (const [index, one] of changes.entries()) {
          assert.strictEqual(lost, 0, String(index))
          come(hearing, one)
        }
        assert.strictEqual(lost, 1)
        come(hearing, change(2000))
        assert.strictEqual(lost, 1)
        yield* readLog(stream)
        assert.strictEqual((yield* Effect.flip(stream.passOn(() => {})))._tag, "ChangesLost")
      }).pipe(Effect.scoped)
    )
  }
})

describe("what is sent to a reader", () => {
  const bytes = (size: number) => new Uint8Array(size)

  const reader = () => {
    const state = { waiting: 0, lost: 0 }
    const send = sending(
      () => state.waiting,
      () => {
        state.lost += 1
      }
    )
    return { state, send }
  }

  it("may be one part of any size, and no more bytes beside what waits than the bound says", () => {
    const { send, state } = reader()
    send(bytes(waitingMax.bytes + 1))
    state.waiting = waitingMax.bytes - 1
    send(bytes(1))
    assert.strictEqual(state.lost, 0)
    send(bytes(2))
    assert.strictEqual(state.lost, 1)
  })

  it("is no more parts than the bound says, counted anew whenever nothing waits", () => {
    const { send, state } = reader()
    for (let round = 0; round < 2; round++) {
      state.waiting = 0
      for (let n = 0; n < waitingMax.changes; n++) {
        send(bytes(1))
        state.waiting = n + 1
      }
    }
    assert.strictEqual(state.lost, 0)
    send(bytes(1))
    assert.strictEqual(state.lost, 1)
  })
})
