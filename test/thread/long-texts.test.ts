import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { SanitiserUnavailable } from "../../src/domain/text/TextProblem.ts"
import { SanitiserThreadSettings } from "../../src/layers/adapters/sanitiser/SanitiserThreads.ts"
import { ok } from "../support/answers.ts"
import { announce, fieldsOf } from "../support/calendar.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

/** Little text in much markup. */
const long = (count: number) => Array.from({ length: count }, (_, n) => `<p title="${n}">x</p>`).join("")

/** A short text of which parsers make a long one: each paragraph gets a copy of all elements left open. */
const complex = Array.from({ length: 400 }, (_, n) => `<p><b title=${n}></p>`).join("")

layer(People.layer)("a long text", (it) => {
  it.effect("is published as it was sent, wherever rich text is written", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const [threadText, replyText] = [long(15_000), long(5_000)]
      const thread = yield* open(freya, "Long", { body: threadText })
      assert.strictEqual(thread.body, `<body>${threadText}</body>`)
      const answer = yield* reply(freya, thread.id, replyText)
      assert.strictEqual(answer.body, `<body>${replyText}</body>`)
      const changed = ok(yield* freya.patch(`/posts/${answer.id}`, { body: long(4_900) }))
      assert.strictEqual(changed.body, `<body>${long(4_900)}</body>`)
    })
  )
})

/** Reads each text after a moment. */
const slowly = `
  import { parentPort } from "node:worker_threads"
  import { sanitise } from "${new URL("../../src/domain/text/richtext/Sanitise.ts", import.meta.url).href}"
  parentPort.on("message", (text) => {
    setTimeout(() => parentPort.postMessage(sanitise(text, 1_000_000)), 60)
  })`

const slow = {
  program: new URL(`data:text/javascript,${encodeURIComponent(slowly)}`),
  threads: 1,
  waiting: 30
}

const proxied = People.withCast(TestApp.layerWhere({ trustedProxies: networksOf(["127.0.0.0/8", "::1"]) }))

layer(proxied.pipe(Layer.provide(Layer.succeed(SanitiserThreadSettings, slow))))(
  "a text that takes long to read",
  (it) => {
    it.effect("waits for one of each other network at most, however many they send", () =>
      Effect.gen(function* () {
        const { freya, loki } = yield* Cast
        const thread = yield* open(freya, "Short", { body: "short" })
        const path = `/threads/${thread.id}/replies`
        const text = long(1000)
        let done = 0
        const flooding = Array.from({ length: 30 }, (_, n) =>
          send({
            method: "POST",
            path: `/api${path}`,
            headers: {
              ...loki.headers,
              "content-type": "application/json",
              "x-forwarded-for": `198.51.${n % 3}.1`
            },
            body: JSON.stringify({ body: text })
          }).pipe(
            Effect.tap(() => Effect.sync(() => done++)),
            Effect.forkChild({ startImmediately: true })
          )
        )
        const all = yield* Effect.all(flooding)
        // Many wait by then.
        while (done < 3) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        const before = done
        ok(yield* freya.post(path, { body: text }))
        // Her request itself takes longer than some texts.
        assert.isBelow(done - before, 18)
        yield* Effect.forEach(all, Fiber.join)
        assert.strictEqual(done, 30)
      })
    )
  }
)

const without = (settings: typeof SanitiserThreadSettings.Service) =>
  People.withCast(TestApp.layer).pipe(Layer.provide(Layer.succeed(SanitiserThreadSettings, settings)))

const unavailable = {
  busy: without({ program: new URL("data:text/javascript,"), threads: 0, waiting: 0 }),
  ended: without({ program: new URL("data:text/javascript,process.exit(1)"), threads: 1, waiting: 32 })
}

for (const reason of ["busy", "ended"] as const) {
  layer(unavailable[reason])(
    `a long or complex text, when sanitising it is not possible (${reason})`,
    (it) => {
      it.effect("is refused for now, and changes nothing", () =>
        Effect.gen(function* () {
          const { freya, odin } = yield* Cast
          const thread = yield* open(freya, "Short", { body: "short" })
          const { id: place } = yield* category(odin, "Place")
          const event = yield* announce(odin, place, "Short")
          const answer = yield* reply(freya, thread.id, "short")
          const drafted = ok(yield* odin.post("/nodes", { name: "Drafted" }))
          const draft = ok(yield* odin.post(`/nodes/${drafted.slug}/versions`, {}))
          ok(yield* odin.post("/nodes", { name: "Undrafted" }))
          const writes = [
            [freya.post, "/threads", "body"],
            [freya.patch, `/threads/${thread.id}`, "body"],
            [freya.post, `/threads/${thread.id}/replies`, "body"],
            [freya.patch, `/posts/${answer.id}`, "body"],
            [freya.patch, "/accounts", "signature"],
            [odin.post, "/accounts", "bio"],
            [odin.patch, `/accounts/${freya.id}`, "bio"],
            [odin.post, "/events", "content"],
            [odin.patch, `/events/${event.id}`, "content"],
            [odin.post, "/nodes", "content"],
            [odin.patch, "/nodes/undrafted", "content"],
            [odin.post, "/nodes/undrafted/versions", "content"],
            [odin.patch, "/nodes/drafted/versions/draft", "content"],
            [odin.patch, `/nodes/drafted/versions/${draft.id}`, "content"],
            [odin.patch, "/admin", "content"]
          ] as const
          for (const [send, path, field] of writes) {
            const refused = yield* send(path, {
              ...fieldsOf(place),
              title: "Long",
              handle: "newcomer",
              [field]: complex
            })
            assertProblem(refused, SanitiserUnavailable, { reason, retry_after: 2 })
            assert.strictEqual(refused.headers["retry-after"], "2")
          }
          assertProblem(
            yield* freya.post("/threads", { title: "Long", body: long(5_000) }),
            SanitiserUnavailable
          )
          const read = ok(yield* freya.get(`/threads/${thread.id}`))
          assert.deepStrictEqual([read.title, read.body], ["Short", "<body>short</body>"])
          assert.strictEqual(ok(yield* freya.get("/threads")).results, 1)
        })
      )
    }
  )
}
