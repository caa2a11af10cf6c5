/** Readers of the stream of changes, by connections of their own, as behind a proxy that names many networks. */
import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { BenchFailure } from "./BenchFailure.ts"

/** What the service has to be started with for so many readers at this machine. */
export const settings = { TRUSTED_PROXIES: "127.0.0.1", MAX_CONNECTIONS: "7000" }

/** How many streams a network may have. */
const ofNetwork = 50

const openedAtOnce = 100

/** When each of the readers was told of something, in milliseconds. */
export interface Readers {
  readonly size: number
  /** Answers when the last of them has been told of something with this text, and when each of them was. */
  readonly told: (text: string) => Promise<ReadonlyArray<number>>
}

interface Reader {
  readonly socket: Socket
  readonly begun: Promise<void>
  /** Called with whatever comes. */
  heard: (text: string) => void
}

const addressOf = (n: number) => {
  const network = Math.floor(n / ofNetwork)
  return `10.0.${network >> 8}.${network & 255}`
}

const openReader = (url: URL, path: string, n: number): Reader => {
  const socket = connect(Number(url.port), url.hostname)
  socket.setEncoding("latin1")
  const begun = Promise.withResolvers<void>()
  const reader: Reader = {
    socket,
    begun: begun.promise,
    heard: (text) => {
      if (text.includes("retry: 3000")) begun.resolve()
      else if (!text.includes("200 OK")) begun.reject(new Error(text.slice(0, 300)))
    }
  }
  socket.on("data", (text: string) => reader.heard(text))
  socket.on("error", begun.reject)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\nx-forwarded-for: ${addressOf(n)}\r\n\r\n`)
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
      heard += part
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
  return { size: count, told: (text) => toldOf(readers, text) } satisfies Readers
})
