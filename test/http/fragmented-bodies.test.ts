/** Bodies that arrive in many small parts, and bodies that nobody waits for. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Client, open, until } from "../support/connections.ts"
import { json, signUp } from "../support/people.ts"
import { port } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

const heads = (lines: Readonly<Record<string, string>>) =>
  Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")

const chunked = (path: string, headers: Readonly<Record<string, string>>, method = "POST") =>
  `${method} ${path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n${heads(headers)}\r\n`

/** So many bytes in chunks of this size, without an end. */
const chunksOf = (size: number, bytes: number) =>
  `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`.repeat(bytes / size)

const statusOf = ({ received }: Client) => Number(/^HTTP\/1.1 (\d+)/.exec(received())?.[1])

const problemIn = ({ received }: Client) => /"type":"\/api\/problems\/([a-z-]+)"/.exec(received())?.[1]

/** Writes as long as the connection takes it. */
const writeOn = (client: Client, part: string) => {
  let written = 0
  const more = () => {
    if (client.socket.destroyed || !client.socket.writable) return
    written += part.length
    client.socket.write(part, more)
  }
  more()
  return () => written
}

const mebibyte = 1024 * 1024

layer(TestApp.layer)("a body", (it) => {
  const paths = Effect.gen(function* () {
    const odin = yield* signUp("odin")
    const form = { "content-type": "application/x-www-form-urlencoded" }
    return [
      ["of JSON", chunked("/api/threads", { ...odin.headers, ...json }), "body-fragmented"],
      ["of a guest", chunked("/api/auth/password/signin", json), "body-fragmented"],
      [
        "that is a file",
        chunked("/api/assets", { ...odin.headers, "content-type": "application/octet-stream" }),
        "body-fragmented"
      ],
      [
        "of a type that nothing takes",
        chunked("/api/threads", { ...odin.headers, "content-type": "multipart/form-data; boundary=x" }),
        "unsupported-media-type"
      ],
      ["of a path that there is not", chunked("/api/nothing", json), "not-found"],
      ["that is refused before it is read", chunked("/api/threads", json), "unauthenticated"],
      ["that comes with a read", chunked("/api/threads", json, "GET"), undefined],
      ["of a form that is ignored", chunked("/api/auth/logout", form), undefined],
      ["of a signal", chunked("/api/beacon", { ...odin.headers, "content-type": "text/plain" }), undefined]
    ] as const
  })

  it.effect(
    "in chunks of 1, 2 or 16 bytes is refused, whatever it is for, and the connection is closed",
    () =>
      Effect.gen(function* () {
        const to = yield* port
        const attack = async (name: string, head: string, size: number, problem: string | undefined) => {
          const client = await open(to, head)
          const written = writeOn(client, chunksOf(size, 64 * 1024))
          await client.closed
          // The system takes some megabytes that the service does not read.
          assert.isBelow(written(), 12 * mebibyte, name)
          // The answer of the operation may come first.
          if (problem === undefined && statusOf(client) < 400) return
          assert.include(["body-fragmented", problem], problemIn(client), name)
        }
        const attacks = (yield* paths).flatMap(([what, head, problem]) =>
          [1, 2, 16].map((size) => attack(`${what}, ${size}`, head, size, problem))
        )
        yield* Effect.promise(() => Promise.all(attacks))
      })
  )

  it.effect("of many chunks is taken where they are no smaller than people's programs make them", () =>
    Effect.gen(function* () {
      const freya = yield* signUp("freya")
      const to = yield* port
      const title = "x".repeat(200)
      const body = JSON.stringify({ title, unknown: "y".repeat(3000) })
      const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join("")
      const head = chunked("/api/threads", { ...freya.headers, ...json, connection: "close" })
      const client = yield* Effect.promise(() => open(to, `${head}${chunks}0\r\n\r\n`))
      yield* Effect.promise(() => client.closed)
      assert.strictEqual(statusOf(client), 200, client.received())
      assert.include(client.received(), title)
    })
  )

  it.effect("that nobody waits for is read for 64 KiB, and the connection goes on if it ends by then", () =>
    Effect.gen(function* () {
      const to = yield* port
      const head = (length: number) =>
        `POST /api/nothing HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`
      const small = yield* Effect.promise(() => open(to, head(60_000)))
      yield* Effect.promise(() => until(() => problemIn(small) === "not-found"))
      small.socket.write(
        `${"x".repeat(60_000)}GET /api/version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
      )
      yield* Effect.promise(() => small.closed)
      assert.match(small.received(), /HTTP\/1.1 200 OK/)

      const large = yield* Effect.promise(() => open(to, head(200_000)))
      yield* Effect.promise(() => until(() => problemIn(large) === "not-found"))
      large.socket.write(`${"x".repeat(200_000)}GET /api/version HTTP/1.1\r\nhost: x\r\n\r\n`)
      yield* Effect.promise(() => large.closed)
      assert.strictEqual(large.received().match(/HTTP\/1.1/g)?.length, 1)
    })
  )
})
