/** Streams of changes as programs read them. */
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import type { Answer } from "../support/answers.ts"
import type { Person } from "../support/people.ts"

/** What a stream has sent. */
export interface Streaming {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: () => string
  readonly isOver: () => boolean
}

/** Opens a stream, and reads it until the scope ends. */
export const streaming = Effect.fnUntraced(function* (
  person: Pick<Person, "headers">,
  path = "/changes/stream",
  headers: Readonly<Record<string, string>> = {}
) {
  const request = HttpClientRequest.get(`/api${path}`).pipe(
    HttpClientRequest.setHeaders({ ...person.headers, ...headers })
  )
  const response = yield* HttpClient.execute(request)
  let text = ""
  let isOver = false
  yield* response.stream.pipe(
    Stream.decodeText(),
    Stream.runForEach((part) => Effect.sync(() => (text += part))),
    Effect.ignore,
    Effect.andThen(Effect.sync(() => (isOver = true))),
    Effect.forkScoped
  )
  const stream: Streaming = {
    status: response.status,
    headers: response.headers,
    text: () => text,
    isOver: () => isOver
  }
  return stream
})

/** What the events of a stream say, which are whole. */
export const framesIn = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, text.lastIndexOf("\n\n") + 2)
    .split("\n\n")
    .filter((frame) => frame !== "")

/** The changes that a stream has told. */
export const changesIn = (stream: Streaming): ReadonlyArray<Answer["json"]> =>
  framesIn(stream.text()).flatMap((frame) => {
    const lines = frame.split("\n")
    if (!lines.includes("event: change")) return []
    const [id, , data, ...more] = lines
    assert.deepStrictEqual(more, [])
    const change = JSON.parse(data?.slice("data: ".length) ?? "")
    assert.strictEqual(id, `id: ${change.cursor}`)
    return [change]
  })

/** Lets the service work and its clock run, until something is so. */
export const until = Effect.fnUntraced(function* (what: string, isSo: () => boolean, step = 1) {
  for (let tries = 0; !isSo(); tries++) {
    assert.isBelow(tries, 2_000, what)
    yield* TestClock.adjust(step)
    yield* TestClock.withLive(Effect.sleep("5 millis"))
  }
})

export const begun = (stream: Streaming) =>
  until("a stream did not begin", () => stream.text().startsWith("retry: 3000\n\n"))

/** Waits until a stream has told so many changes. */
export const told = Effect.fnUntraced(function* (stream: Streaming, count: number) {
  yield* until(`a stream did not tell ${count} changes`, () => changesIn(stream).length >= count)
  return changesIn(stream)
})
