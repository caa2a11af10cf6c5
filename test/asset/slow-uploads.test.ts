/** Clients that send files slowly, from several networks: others upload theirs all the same. */
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { senderBounds } from "../../src/http/bytes/Senders.ts"
import { SenderBounds, StreamedBodies } from "../../src/http/bytes/StreamedBodies.ts"
import { ConnectionFigures } from "../../src/http/operations/ConnectionFigures.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { ok } from "../support/answers.ts"
import { until } from "../support/connections.ts"
import { bytesOf, png } from "../support/files.ts"
import { Cast, type Person, signUp, withCast } from "../support/people.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"
import { begin, type Upload } from "../support/uploading.ts"

const mebibyte = 1024 * 1024

const proxied = withCast(TestApp.layerWhere({ trustedProxies: networksOf(["127.0.0.0/8", "::1"]) }))

const from = (person: Person, network: number) => ({
  headers: { ...person.headers, "x-forwarded-for": `198.51.${network}.1` }
})

const members = (name: string, number: number) =>
  Effect.forEach(
    Array.from({ length: number }, (_, n) => `${name}${n}`),
    signUp
  )

/** Waits until so many arrive and wait for their turn. */
const untilThere = (sending: number, waiting = 0) =>
  Effect.flatMap(StreamedBodies, ({ counts }) =>
    Effect.promise(() => until(() => counts().sending === sending && counts().waiting === waiting))
  )

/** Begins to send one mebibyte, of which no more than this comes for now. */
const beginSlowly = Effect.fnUntraced(function* (person: Person, network: number, first = 1) {
  const upload = yield* begin(from(person, network), mebibyte)
  upload.sent.write(Buffer.alloc(first, "x"))
  return upload
})

const finish = ({ answer, sent }: Upload, sentBefore = 1) => {
  sent.end(Buffer.alloc(mebibyte - sentBefore, "x"))
  return answer
}

const breakOff = Effect.fnUntraced(function* (uploads: ReadonlyArray<Upload>) {
  for (const { breakOff } of uploads) breakOff()
  yield* untilThere(0)
})

layer(proxied)("beside slow uploads of several networks", (it) => {
  it.effect("a stranger uploads at once", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const slow = yield* Effect.forEach(yield* members("slow", 24), (person, n) =>
        Effect.forEach([1, 2], () => beginSlowly(person, n % 3))
      )
      yield* untilThere(48)
      ok(yield* freya.post("/assets", bytesOf("a file")))
      assert.strictEqual((yield* freya.post("/accounts/self/avatar", png(1, 1))).status, 200)
      const { text } = yield* send({ path: "/metrics" })
      assert.match(text, /^forum_http_uploads\{state="sending"\} 48$/m)
      // So do those who send slowly, when they send.
      const [first] = slow
      for (const upload of first ?? []) assert.strictEqual((yield* finish(upload)).status, 200)
      yield* breakOff(slow.flat())
    })
  )

  it.effect("of one account two arrive at a time, and the others in their turn", () =>
    Effect.gen(function* () {
      const member = yield* signUp("eager")
      const uploads = yield* Effect.forEach(Array.from({ length: 20 }), () => beginSlowly(member, 1))
      yield* untilThere(2, 14)
      for (const { sent } of uploads) sent.end(Buffer.alloc(mebibyte - 1, "x"))
      const answers = yield* Effect.forEach(uploads, ({ answer }) => answer, { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 16)
      for (const { text } of answers.filter(({ status }) => status !== 200)) {
        assert.include(text, "service-busy")
      }
      yield* untilThere(0)
      ok(yield* member.post("/assets", bytesOf("x")))
    })
  )

  it.effect("who waits for an upload of their own that advances has as much time as it", () =>
    Effect.gen(function* () {
      const member = yield* signUp("patient")
      const running = yield* Effect.forEach([1, 2], () => begin(from(member, 1), 4 * mebibyte))
      yield* untilThere(2)
      const waiting = yield* beginSlowly(member, 1)
      yield* untilThere(2, 1)
      const { directory } = yield* AssetFiles
      const sizes = Effect.promise(async () => {
        const names = await readdir(join(directory, "incoming"))
        return Promise.all(names.map(async (name) => (await stat(join(directory, "incoming", name))).size))
      })
      for (let part = 1; part <= 2; part++) {
        for (const { sent } of running) sent.write(Buffer.alloc(mebibyte + 64 * 1024, "x"))
        while ((yield* sizes).filter((size) => size >= part * mebibyte).length < running.length) {
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
        }
        yield* TestClock.adjust("29 seconds")
      }
      for (const { sent } of running) sent.end(Buffer.alloc(4 * mebibyte - 2 * (mebibyte + 64 * 1024), "x"))
      for (const { answer } of running) assert.strictEqual((yield* answer).status, 200)
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual((yield* finish(waiting)).status, 200)
    })
  )

  it.effect("who waits for some that do not advance has its turn when these are given up", () =>
    Effect.gen(function* () {
      const member = yield* signUp("stuck")
      const running = yield* Effect.forEach([1, 2], () => beginSlowly(member, 1))
      yield* untilThere(2)
      const waiting = yield* beginSlowly(member, 1)
      yield* untilThere(2, 1)
      yield* TestClock.adjust("30 seconds")
      for (const { answer } of running) assert.strictEqual((yield* answer).status, 503)
      assert.strictEqual((yield* finish(waiting)).status, 200)
    })
  )
})

const few = Layer.succeed(SenderBounds, { ...senderBounds, sending: 3, ofNetwork: 2, present: 4 })

layer(proxied.pipe(Layer.provide(few)))("where all places are taken", (it) => {
  it.effect("the slowest of the network that has most is ended when somebody else arrives", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const alone = yield* beginSlowly(odin, 2)
      const faster = yield* beginSlowly(freya, 1, 60_000)
      const slower = yield* beginSlowly(loki, 1, 20_000)
      yield* untilThere(3)
      const waiting = yield* beginSlowly(tyr, 3)
      yield* untilThere(3, 1)
      const figures = yield* ConnectionFigures
      const slowSenders = () => figures()?.refusals.get("slow_sender") ?? 0
      assert.strictEqual(slowSenders(), 0)
      // Nobody is slow before they had time to be fast.
      yield* TestClock.adjust("5 seconds")
      const ended = yield* slower.answer
      assert.strictEqual(ended.status, 408)
      assert.include(ended.text, "request-too-slow")
      assert.strictEqual(slowSenders(), 1)
      for (const upload of [waiting, alone]) assert.strictEqual((yield* finish(upload)).status, 200)
      assert.strictEqual((yield* finish(faster, 60_000)).status, 200)
      yield* untilThere(0)
    })
  )

  it.effect("no more than may be wait", () =>
    Effect.gen(function* () {
      const sending = yield* Effect.forEach(yield* members("one", 3), (person, n) => beginSlowly(person, n))
      yield* untilThere(3)
      const [first, second] = yield* members("two", 2)
      if (first === undefined || second === undefined) return assert.fail()
      const waiting = yield* beginSlowly(first, 1)
      yield* untilThere(3, 1)
      const refused = yield* (yield* beginSlowly(second, 1)).answer
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, "service-busy")
      sending[0]?.breakOff()
      assert.strictEqual((yield* finish(waiting)).status, 200)
      yield* breakOff(sending)
    })
  )
})

const crowded = Layer.succeed(SenderBounds, { ...senderBounds, sending: 3, present: 5 })

layer(proxied.pipe(Layer.provide(crowded)))("where nobody more may wait", (it) => {
  it.effect("the last one gives way of the network of which most wait", () =>
    Effect.gen(function* () {
      const sending = yield* Effect.forEach(yield* members("one", 3), (person, n) => beginSlowly(person, n))
      yield* untilThere(3)
      const [first, last, other] = yield* members("two", 3)
      if (first === undefined || last === undefined || other === undefined) return assert.fail()
      const earlier = yield* beginSlowly(first, 7)
      yield* untilThere(3, 1)
      const later = yield* beginSlowly(last, 7)
      yield* untilThere(3, 2)
      const another = yield* beginSlowly(other, 8)
      const refused = yield* later.answer
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, "service-busy")
      yield* untilThere(3, 2)
      for (const { breakOff } of sending) breakOff()
      for (const upload of [earlier, another]) assert.strictEqual((yield* finish(upload)).status, 200)
      return yield* untilThere(0)
    })
  )
})
