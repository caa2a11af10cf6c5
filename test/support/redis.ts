/**
 * A server that speaks as much of Redis's protocol as counting needs, so that tests run wherever Node does. What it
 * does is what Redis documents for these commands.
 */
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { Effect, Redacted } from "effect"

export interface FakeRedis {
  readonly url: Redacted.Redacted
  /** The fields of every hash, by its key. */
  readonly hashes: Map<string, Map<string, number>>
  /** For how many seconds a key is kept. */
  readonly expiries: Map<string, number>
  /** Whether it answers. */
  answers: boolean
  /** Whether it ends connections instead. */
  breaks: boolean
  /** How many connections it has had. */
  connections: number
}

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`

const run = ({ expiries, hashes }: FakeRedis, [command = "", key = "", ...rest]: ReadonlyArray<string>) => {
  const hash = hashes.get(key) ?? new Map<string, number>()
  switch (command.toUpperCase()) {
    case "HINCRBY": {
      const [field = "", amount] = rest
      const value = (hash.get(field) ?? 0) + Number(amount)
      hashes.set(key, hash.set(field, value))
      return `:${value}\r\n`
    }
    case "EXPIRE":
      expiries.set(key, Number(rest[0]))
      return hashes.has(key) ? ":1\r\n" : ":0\r\n"
    case "HGETALL": {
      const texts = [...hash].flatMap(([field, value]) => [field, String(value)])
      return `*${texts.length}\r\n${texts.map(bulk).join("")}`
    }
    case "HDEL":
      return `:${rest.filter((field) => hash.delete(field)).length}\r\n`
    case "PING":
      return "+PONG\r\n"
    default:
      return `-ERR unknown command '${command}'\r\n`
  }
}

/** The commands that are complete in a text of Latin-1 characters, and what is left of it. */
const commandsIn = (text: string) => {
  const commands: Array<ReadonlyArray<string>> = []
  let left = text
  for (;;) {
    let at = left.indexOf("\r\n")
    if (at === -1) return { commands, left }
    const words: Array<string> = []
    let rest = left.slice(at + 2)
    const count = Number(left.slice(1, at))
    while (words.length < count) {
      at = rest.indexOf("\r\n")
      const length = Number(rest.slice(1, at))
      if (at === -1 || rest.length < at + 4 + length) return { commands, left }
      words.push(rest.slice(at + 2, at + 2 + length))
      rest = rest.slice(at + 4 + length)
    }
    commands.push(words)
    left = rest
  }
}

/** Runs one until the scope ends. */
export const fakeRedis = Effect.gen(function* () {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    redis.connections += 1
    sockets.add(socket)
    let received = ""
    socket.setEncoding("latin1")
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    socket.on("data", (part: string) => {
      const { commands, left } = commandsIn(received + part)
      received = left
      if (redis.breaks) socket.destroy()
      else if (redis.answers) for (const command of commands) socket.write(run(redis, command))
    })
  })
  server.listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(server, "listening"))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
  )
  const { port } = server.address() as AddressInfo
  const redis: FakeRedis = {
    url: Redacted.make(`redis://127.0.0.1:${port}`),
    hashes: new Map(),
    expiries: new Map(),
    answers: true,
    breaks: false,
    connections: 0
  }
  return redis
})
