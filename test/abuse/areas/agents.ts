/** Agents who begin and never go on, send messages that are none, and ask for much. */
import { assert } from "vitest"
import { flood, fromMany, hold, leave, post, sip } from "../clients.ts"
import { answered, attack, print, whileOthersWrite } from "../harness.ts"
import { growthDuring, openLongThread, type Target } from "../target.ts"

export const withAgents = { MCP_ENABLED: "true" }

type Headers = Readonly<Record<string, string>>

const path = "/mcp"

const accept = { accept: "application/json, text/event-stream", "content-type": "application/json" }

/** Versions that have sessions elsewhere. */
const versions = ["2025-06-18", "2025-11-25"]

/** How many bytes a message has at most. */
const messageMax = 256 * 1024

/** By how many megabytes the service may grow. */
const growthMax = 150

const message = (method: string, params: unknown, id = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

const callOf = (name: string, args: object) => message("tools/call", { name, arguments: args })

/** One of many members, from one of many networks, in a version that has sessions elsewhere. */
const headersOf = ({ members }: Target, n: number): Headers => ({
  ...fromMany(n, members(n % 180).headers),
  ...accept,
  "mcp-protocol-version": versions[n % versions.length] ?? ""
})

/** A request with a message, of a member. */
const saying = (target: Target, n: number, body: string, more: Headers = {}) => ({
  method: "POST",
  path,
  headers: { ...headersOf(target, n), ...more },
  body
})

/** The same, as it goes over a connection. */
const raw = (target: Target, n: number, body: string): ReadonlyArray<string> => {
  const { "content-type": type = "", ...headers } = headersOf(target, n)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return [post(path, Buffer.byteLength(body), type, lines.join("")), body]
}

/** Messages of many members at the same time, which are answered so or refused as too many. */
const messages = (
  target: Target,
  clients: number,
  requestOf: (n: number) => ReturnType<typeof saying>,
  ...statuses: ReadonlyArray<number>
) => answered(flood(target, clients, requestOf), ...statuses, 429, 503)

const initialization = (n: number) =>
  message("initialize", {
    protocolVersion: versions[n % versions.length],
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
    clientInfo: { name: "x".repeat(10_000), version: "1" }
  })

/** As much as a tool can be asked for. */
const expensive = [
  callOf("content_search", { q: "a man had the idea", page: "12" }),
  callOf("content_search", {
    q: "banana",
    authors: Array.from({ length: 100 }, (_, n) => `anna-${n}`),
    tags: Array.from({ length: 100 }, (_, n) => `banana-${n % 5}`)
  }),
  callOf("library_page_list", { depth: "100" }),
  callOf("member_search", { q: "a" }),
  callOf("thread_list", { page: "40", q: "word" }),
  message("resources/read", { uri: "forum://search/as%20long%20as%20a%20banana" }),
  message("completion/complete", {
    ref: { type: "ref/resource", uri: "forum://threads/{thread_mark}" },
    argument: { name: "thread_mark", value: "a man has a ba" }
  })
]

const expensiveOf = (n: number) => expensive[n % expensive.length] ?? ""

/** No messages, as large, deep, many or wide as they may be. */
const odd = [
  `[${Array.from({ length: 5000 }, (_, id) => message("tools/list", {}, id)).join(",")}]`,
  `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`,
  "[".repeat(messageMax - 10),
  `${'{"jsonrpc":"2.0","method":"tools/list"}\n'.repeat(1000)}`
]

/** Messages that ask for what no tool takes. */
const wide = [
  callOf("thread_get", Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`n${n}`, n]))),
  callOf("thread_create", { title: "x".repeat(messageMax - 500) }),
  callOf("x".repeat(messageMax - 500), {}),
  message("resources/read", { uri: `forum://threads/${"%2e".repeat(80_000)}` }),
  message("x".repeat(messageMax - 500), {})
]

export const agents = (target: () => Target) => {
  attack("sessions begin by the thousand, and nobody goes on with one", target, async (target) => {
    const begun = messages(target, 64, (n) => saying(target, n, initialization(n)), 200)
    const growth = await growthDuring(target, begun)
    print(`the service grew by ${Math.round(growth)} MB`)
    assert.isBelow(growth, growthMax)
  })

  attack("messages are of sessions that were made up", target, (target) =>
    whileOthersWrite(
      target,
      messages(
        target,
        64,
        (n) => saying(target, n, message("ping", {}, n), { "mcp-session-id": `${n}-`.padEnd(1000, "x") }),
        200
      )
    )
  )

  attack("messages are none: batches of thousands, nested for ever, cut off", target, (target) =>
    whileOthersWrite(
      target,
      messages(
        target,
        32,
        (n) => saying(target, n, odd[n % odd.length] ?? ""),
        // Several messages are an error of JSON-RPC, which is in the body.
        200,
        400,
        413
      )
    )
  )

  attack("messages are as large as may be, and ask for nothing that there is", target, (target) =>
    whileOthersWrite(
      target,
      messages(target, 32, (n) => saying(target, n, wide[n % wide.length] ?? ""), 200, 400, 404, 413)
    )
  )

  attack("messages are larger than may be", target, (target) =>
    messages(
      target,
      32,
      (n) => saying(target, n, "x".repeat(2 * messageMax)),
      413,
      // A connection is closed that goes on sending.
      0
    )
  )

  attack("guests, and programs with tokens that were made up, ask for tools", target, (target) =>
    messages(
      target,
      64,
      (n) => ({
        ...saying(target, n, message("tools/list", {})),
        headers: {
          ...fromMany(n, accept),
          ...(n % 2 === 0 ? {} : { authorization: `Bearer ${"x".repeat(n % 2000)}` })
        }
      }),
      401
    )
  )

  attack("the list of tools is asked for again and again", target, (target) =>
    whileOthersWrite(
      target,
      messages(target, 64, (n) => saying(target, n, message("tools/list", {}, n)), 200)
    )
  )

  attack("all that is expensive is asked for at the same time", target, (target) =>
    whileOthersWrite(
      target,
      messages(target, 64, (n) => saying(target, n, expensiveOf(n)), 200)
    )
  )

  attack("agents leave before they are answered", target, (target) =>
    whileOthersWrite(
      target,
      leave(target, 64, 100, (n) => raw(target, n, expensiveOf(n)))
    )
  )

  attack("long threads are asked for on many connections, and no answer is read", target, async (target) => {
    const body = callOf("thread_get", { thread_mark: await openLongThread(target, 50) })
    await hold(target, 64, (n) => Array.from({ length: 20 }, () => raw(target, n, body)).flat())
  })

  attack("long threads are received byte by byte", target, async (target) => {
    const body = callOf("thread_get", { thread_mark: await openLongThread(target, 50) })
    await sip(target, 200, (n) => raw(target, n, body))
  })

  attack("messages stop half-way", target, (target) =>
    whileOthersWrite(
      target,
      hold(target, 400, (n) => {
        const [head = "", body = ""] = raw(target, n, expensiveOf(n))
        return [head, body.slice(0, 20)]
      })
    )
  )
}
