/** The stream of changes that the client has. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Ref, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse, HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import * as Client from "../../src/client/Client.ts"
import { ServiceBusy } from "../../src/http/contract/RequestProblems.ts"
import { until } from "../change/streaming.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

const baseUrl = Effect.map(HttpServer.HttpServer, ({ address }) =>
  HttpServer.formatAddress(address).replace("0.0.0.0", "127.0.0.1")
)

const busy = () =>
  new Response(
    JSON.stringify({
      type: ServiceBusy.problemType.type,
      title: ServiceBusy.problemType.title,
      status: 503,
      trace_id: "0".repeat(32),
      metadata: { retry_after: 1 }
    }),
    { status: 503, headers: { "content-type": "application/problem+json" } }
  )

layer(People.layer)("the changes of the client", (it) => {
  it.effect("begin now or after a cursor, and go on after answers that failed", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const asked = yield* Ref.make(0)
      // Every other request is answered as by a service that has too much to do.
      const fetching = yield* HttpClient.HttpClient.pipe(Effect.provide(FetchHttpClient.layer))
      const failing = HttpClient.transform(fetching, (answer, request) =>
        Effect.flatMap(
          Ref.updateAndGet(asked, (n) => n + 1),
          (n) => (n % 2 === 0 ? answer : Effect.succeed(HttpClientResponse.fromWeb(request, busy())))
        )
      )
      const client = yield* Client.make({ baseUrl: yield* baseUrl }).pipe(
        Effect.provideService(HttpClient.HttpClient, failing)
      )
      const told: Array<string> = []
      const cursors: Array<string> = []
      const running = yield* Client.changes(client, { events: ["EventThreadPublished"] }).pipe(
        Stream.take(3),
        Stream.runForEach(({ cursor, event }) =>
          Effect.sync(() => {
            cursors.push(cursor)
            if (event.event === "EventThreadPublished") told.push(event.id)
          })
        ),
        Effect.forkScoped
      )
      // It has asked where the changes are, and waits for the first one.
      yield* until("nobody asks", () => Effect.runSync(Ref.get(asked)) >= 4, 100)
      yield* TestClock.withLive(Effect.sleep("300 millis"))
      const ids: Array<string> = []
      for (const title of ["One", "Two", "Three"]) {
        ids.push((yield* open(freya, title)).id)
        yield* until("a change was not told", () => told.length === ids.length, 100)
      }
      yield* Fiber.join(running)
      assert.deepStrictEqual(told, ids)
      const rest: Array<string> = []
      yield* Client.changes(client, { after: cursors[0] ?? "", events: ["EventThreadPublished"] }).pipe(
        Stream.take(2),
        Stream.runForEach(({ cursor }) => Effect.sync(() => rest.push(cursor))),
        Effect.forkScoped
      )
      yield* until("the rest was not told", () => rest.length === 2, 100)
      assert.deepStrictEqual(rest, cursors.slice(1))
    }).pipe(Effect.scoped)
  )
})
