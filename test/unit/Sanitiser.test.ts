import { readdirSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { describe } from "vitest"
import { InTransaction } from "../../src/domain/storage/Transaction.ts"
import * as RichText from "../../src/domain/text/RichText.ts"
import { Sanitiser } from "../../src/domain/text/Sanitiser.ts"
import { networkOf } from "../../src/http/pipeline/ClientAddress.ts"
import { factsOf, RequestContext } from "../../src/http/pipeline/RequestContext.ts"
import * as Threads from "../../src/layers/adapters/sanitiser/SanitiserThreads.ts"
import { inTime } from "../support/waiting.ts"
import { hostileMarkup } from "./hostile-markup.ts"
import { fill, largeMarkup, numbered } from "./large-markup.ts"

const sanitiser = Sanitiser.layer.pipe(Layer.provide(Threads.layer))

/** A pool of threads that run another program: a module as text. */
const running = (program: string, threads = 1, waiting = 2) =>
  Layer.fresh(sanitiser).pipe(
    Layer.provide(
      Layer.succeed(Threads.SanitiserThreadSettings, {
        program: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
        threads,
        waiting
      })
    )
  )

const answering = `postMessage({ document: "<body>beside</body>", analysis: {} })`
const program = (onMessage: string) => `
  import { parentPort } from "node:worker_threads"
  const postMessage = (message) => parentPort.postMessage(message)
  parentPort.on("message", (text) => { ${onMessage} })`

const read = (text: string) => Sanitiser.use((sanitiser) => sanitiser.read(text))

const { client: elsewhere } = factsOf("")

const busy = { metadata: { reason: "busy" as const, retry_after: 2 } }
const ended = { metadata: { reason: "ended" as const, retry_after: 2 } }

const long = (start: string) => start.padEnd(70_000, "x")

const hostileSample = fc.sample(hostileMarkup, { numRuns: 300, seed: 7 }).join("")

/** Texts that are read at once, beside the service, or first at once and then beside. */
const usual: ReadonlyArray<string> = [
  ...[16 * 1024, 16 * 1024 + 1].map((length) => "word ".repeat(20_000).slice(0, length)),
  ...[16 * 1024, 64 * 1024, 640 * 1024].map((length) => fill(hostileSample).slice(0, length)),
  ...[300, 600, 1_000, 3_500].map((count) => numbered(count, (n) => `<a href=http://x/${n}>`)),
  numbered(500, (n) => `<p><b title=${n}></p>`),
  "x".repeat(640 * 1024 + 1)
]

const expensive = largeMarkup.flatMap(([, markup]) => [markup, markup.slice(0, 16 * 1024)])

layer(sanitiser)("the sanitiser", (it) => {
  it.effect("reads every text as if there were no threads", () =>
    Effect.gen(function* () {
      for (const text of usual) {
        assert.deepStrictEqual(yield* Effect.exit(read(text)), yield* Effect.exit(RichText.read(text)))
      }
    })
  )

  it.effect("lets others go before its threads, where a thread can have a priority", () =>
    Effect.gen(function* () {
      yield* read("word ".repeat(5_000))
      if (process.platform !== "linux") return
      const priorities = readdirSync("/proc/self/task").map((thread) => {
        const [, fields = ""] = readFileSync(`/proc/self/task/${thread}/stat`, "utf8").split(") ")
        return Number(fields.split(" ")[16])
      })
      assert.include(priorities, getPriority() + 5)
      assert.strictEqual(priorities.filter((one) => one === getPriority()).length > 1, true)
    })
  )

  it.effect("keeps its own thread for less than 20 ms, whatever a text is and becomes", () =>
    Effect.gen(function* () {
      // Processor time of this thread, so that other threads and processes are not counted.
      const cost = Effect.fnUntraced(function* (text: string) {
        const started = process.threadCpuUsage()
        yield* Effect.exit(read(text))
        const { system, user } = process.threadCpuUsage(started)
        return (system + user) / 1000
      })
      for (const text of [...usual, ...expensive]) {
        // Only a text that is too expensive every time is one: compilation and garbage collection come by chance.
        const last = yield* Effect.repeat(cost(text), {
          until: (milliseconds) => milliseconds < 20,
          times: 4
        })
        assert.isBelow(last, 20, text.slice(0, 100))
      }
    })
  )

  it.effect("reads nothing within a transaction", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provideService(read("x"), InTransaction, true))
      assert.isTrue(Exit.hasDies(exit))
    })
  )
})

layer(running(program(answering)))("a text", (it) => {
  it.effect("is read beside the service when it is long or complex, else at once", () =>
    Effect.gen(function* () {
      const documentOf = (text: string) => Effect.map(read(text), ({ document }) => document)
      assert.strictEqual(yield* documentOf("x".repeat(16_384)), `<body>${"x".repeat(16_384)}</body>`)
      assert.strictEqual(yield* documentOf("x".repeat(16_385)), "<body>beside</body>")
      const complex = numbered(500, (n) => `<p><b title=${n}></p>`)
      assert.strictEqual(yield* documentOf(complex), "<body>beside</body>")
      // Refused for its length, which needs no parser.
      assert.strictEqual((yield* Effect.flip(read("x".repeat(640 * 1024 + 1))))._tag, "TooComplex")
    })
  )
})

describe("a thread", () => {
  const hanging = program(`if (!text.startsWith("hang")) ${answering}`)

  const counting = program(
    `globalThis.count = (globalThis.count ?? 0) + 1; postMessage({ document: "<body>" + globalThis.count + "</body>", analysis: {} })`
  )
  /** The how-manieth text of its thread this one was. */
  const countOf = Effect.map(read(long("x")), ({ document }) =>
    document.slice("<body>".length, -"</body>".length)
  )

  const dying = program(`if (text.startsWith("die")) process.exit(1); else ${answering}`)
  layer(running(dying))("that dies", (it) => {
    it.effect("is replaced, and its text is refused", () =>
      Effect.gen(function* () {
        for (const _ of [1, 2, 3]) {
          assert.deepInclude(yield* Effect.flip(read(long("die"))), ended)
          assert.strictEqual((yield* read(long("live"))).document, "<body>beside</body>")
        }
      })
    )
  })

  layer(running(program(answering), 1, 3))("that is asked by several networks", (it) => {
    it.effect("takes turns with them, and who has most waiting gives way", () =>
      Effect.gen(function* () {
        const done: Array<string> = []
        const ask = (network: string) =>
          read(long(network)).pipe(
            Effect.match({
              onSuccess: () => done.push(network),
              onFailure: () => done.push(`${network} refused`)
            }),
            Effect.provideService(RequestContext, factsOf("", { ...elsewhere, network: networkOf(network) })),
            Effect.forkChild({ startImmediately: true })
          )
        const all = []
        for (const address of ["10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.3"]) {
          all.push(yield* ask(address))
        }
        for (const fiber of all) yield* Fiber.join(fiber)
        assert.deepStrictEqual(done, [
          "10.0.0.1 refused",
          "10.0.0.1 refused",
          "10.0.0.1",
          "10.0.0.2",
          "10.0.0.3",
          "10.0.0.1"
        ])
      })
    )
  })

  layer(running(counting))("whose text is not waited for any more", (it) => {
    it.effect("goes on to its end, and is there for the next text", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* countOf, "1")
        yield* Fiber.interrupt(yield* Effect.forkChild(countOf, { startImmediately: true }))
        assert.strictEqual(yield* countOf, "3")
      })
    )
  })

  layer(running(hanging, 2, 4))("of several", (it) => {
    it.effect("is left to other networks, however many texts one sends", () =>
      Effect.gen(function* () {
        const from = (network: string, text: string) =>
          read(long(text)).pipe(
            Effect.provideService(RequestContext, factsOf("", { ...elsewhere, network: networkOf(network) }))
          )
        const hung = []
        for (const _ of [1, 2, 3]) {
          hung.push(yield* Effect.forkChild(from("10.0.0.1", "hang"), { startImmediately: true }))
        }
        const other = yield* inTime("no thread was free for another network", from("10.0.0.2", "x"))
        assert.strictEqual(other.document, "<body>beside</body>")
        for (const fiber of hung) yield* Fiber.interrupt(fiber)
      })
    )
  })

  layer(running("syntax error"))("that cannot start", (it) => {
    it.effect("refuses its text", () =>
      Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(read(long("x"))), ended)
      })
    )
  })

  layer(running(hanging))("that does not answer", (it) => {
    it.effect("is replaced after ten seconds; until then two texts wait, and further ones are refused", () =>
      Effect.gen(function* () {
        const fork = (text: string) => Effect.forkChild(read(text), { startImmediately: true })
        const hung = yield* fork(long("hang"))
        const waiting = [yield* fork(long("a")), yield* fork(long("b"))]
        assert.deepInclude(yield* Effect.flip(read(long("c"))), busy)
        // One whose client goes leaves its place to another one.
        yield* Fiber.interrupt(yield* Effect.fromOption(Option.fromNullishOr(waiting.pop())))
        waiting.push(yield* fork(long("d")))
        assert.deepInclude(yield* Effect.flip(read(long("e"))), busy)
        yield* TestClock.adjust("10 seconds")
        assert.deepInclude(yield* Effect.flip(Fiber.join(hung)), ended)
        for (const fiber of waiting) {
          assert.strictEqual((yield* Fiber.join(fiber)).document, "<body>beside</body>")
        }
      })
    )
  })

  layer(running(counting))("that has nothing to do", (it) => {
    it.effect("ends after ten to twenty seconds, and another one starts when it is needed", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual([yield* countOf, yield* countOf], ["1", "2"])
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* countOf, "3")
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* countOf, "4")
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(yield* countOf, "1")
      })
    )
  })

  layer(Layer.empty)("of a service that stops", (it) => {
    it.effect("ends, with the text that it reads", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(running(hanging), scope)
        const hang = Effect.provideContext(read(long("hang")), context)
        const hung = yield* Effect.forkChild(hang, { startImmediately: true })
        yield* Scope.close(scope, Exit.void)
        assert.deepInclude(yield* Effect.flip(Fiber.join(hung)), ended)
        // No thread starts any more.
        assert.deepInclude(yield* Effect.flip(hang), ended)
      })
    )
  })
})
