/**
 * Readers of the stream of changes, by connections of their own, as behind a proxy that names many networks. They take
 * gzip, as browsers do.
 */
import { connect, type Socket } from "node:net"
import { constants, gunzipSync } from "node:zlib"
import { Effect } from "effect"
import { BenchFailure } from "./BenchFailure.ts"

/** What the service has to be started with for so many readers at this machine. */
export const settings = { TRUSTED_PROXIES: "127.0.0.1", MAX_CONNECTIONS: "7000" }

/** How many streams a network may have. */
const ofNetwork = 50

const openedAtOnce = 100

/** When each of the readers was told of something, in milliseconds. */
export interface Readers {
  /** Answers when the last of them has been told of something with this text, and when each of them was. */
  readonly told: (text: string) => Promise<ReadonlyArray<number>>
  /** How many changes a few of them have been told each, fewest first. */
  readonly counted: () => ReadonlyArray<number>
}

interface Reader {
  readonly socket: Socket
  readonly begun: Promise<void>
  /** Called with whatever comes. */
  heard: (part: Buffer) => void
  /** All that has come, of those whose changes are counted. */
  readonly kept: Array<Buffer> | undefined
}

// To keep and decode all that thousands are told would take the machine from the service.
const countedOf = 100

/** The body of an answer in chunks, as far as it has come. */
const bodyOf = (answer: Buffer): Buffer => {
  const chunks: Array<Buffer> = []
  let at = answer.indexOf("\r\n\r\n") + 4
  for (;;) {
    const lineEnd = answer.indexOf("\r\n", at)
    const length = Number.parseInt(answer.toString("latin1", at, lineEnd), 16)
    const end = lineEnd + 2 + length
    if (lineEnd === -1 || !(length > 0) || end > answer.length) return Buffer.concat(chunks)
    chunks.push(answer.subarray(lineEnd + 2, end))
    at = end + 2
  }
}

const changesIn = (answer: Buffer): number => {
  const text = gunzipSync(bodyOf(answer), { finishFlush: constants.Z_SYNC_FLUSH }).toString("latin1")
  return text.split("event: change").length - 1
}

const addressOf = (n: number) => {
  const network = Math.floor(n / ofNetwork)
  return `10.0.${network >> 8}.${network & 255}`
}

const openReader = (url: URL, path: string, n: number): Reader => {
  const socket = connect(Number(url.port), url.hostname)
  const begun = Promise.withResolvers<void>()
  const kept: Array<Buffer> | undefined = n % countedOf === 0 ? [] : undefined
  const reader: Reader = {
    socket,
    begun: begun.promise,
    heard: (part) => {
      // What is short is sent as it is, within its gzip.
      if (part.includes("retry: 3000")) begun.resolve()
      else if (!part.includes("200 OK")) begun.reject(new Error(part.toString("latin1", 0, 300)))
    },
    kept
  }
  socket.on("data", (part: Buffer) => {
    kept?.push(part)
    reader.heard(part)
  })
  socket.on("error", begun.reject)
  const headers = `host: ${url.host}\r\naccept-encoding: gzip\r\nx-forwarded-for: ${addressOf(n)}`
  socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)
  return reader
}

/** One promise for each text that readers wait for. */
const toldOf = (readers: ReadonlyArray<Reader>, text: string) => {
  const all = Promise.withResolvers<ReadonlyArray<number>>()
  const times: Array<number> = []
  for (const reader of readers) {
    const before = reader.heard
    let heard = ""
    reader.heard = (part) => {
      heard += part.toString("latin1")
      if (!heard.includes(text)) return before(part)
      times.push(performance.now())
      reader.heard = before
      if (times.length === readers.length) all.resolve(times)
    }
  }
  return all.promise
}

/** Opens so many streams, which end with the scope. */
export const openReaders = Effect.fnUntraced(function* (url: string, count: number, query = "") {
  const address = new URL(url)
  const readers: Array<Reader> = []
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { socket } of readers) socket.destroy()
    })
  )
  while (readers.length < count) {
    const few = Array.from({ length: Math.min(openedAtOnce, count - readers.length) }, (_, n) =>
      openReader(address, `/api/changes/stream${query}`, readers.length + n)
    )
    readers.push(...few)
    yield* Effect.tryPromise({
      try: () => Promise.all(few.map(({ begun }) => begun)),
      catch: (cause) => new BenchFailure({ message: `A stream did not begin: ${cause}` })
    })
  }
  for (const reader of readers) reader.heard = () => {}
  return {
    told: (text) => toldOf(readers, text),
    counted: () =>
      readers
        .flatMap(({ kept }) => (kept === undefined ? [] : changesIn(Buffer.concat(kept))))
        .toSorted((one, other) => one - other)
  } satisfies Readers
})
