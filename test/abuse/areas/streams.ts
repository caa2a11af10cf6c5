/** Readers of changes who are many, take nothing, come and go, or ask oddly. */
import { Agent } from "node:http"
import { connect, type Socket } from "node:net"
import { assert } from "vitest"
import { beginning, cursorOf } from "../../../src/domain/change/ChangePosition.ts"
import { changeNames } from "../../../src/domain/change/Changes.ts"
import { streamsMax } from "../../../src/domain/change/StreamPlaces.ts"
import { call, flood, forwarded, get, leave, open, type Statuses, wait } from "../clients.ts"
import { answered, attack, print, whileOthersWrite } from "../harness.ts"
import { growthDuring, type Target } from "../target.ts"

/** How many the service may have, far fewer than are asked for. */
const ofProcess = 300

export const fewStreams = { MAX_STREAMS: String(ofProcess) }

const path = "/api/changes/stream"

/** By how many megabytes the service may grow while readers take nothing. */
const growthMax = 100

/** How long the service has to notice what has become of connections, in milliseconds. */
const noticed = 30_000

/** What a figure of the service is now; of several with the same name, their sum. */
const figure = async ({ port }: Target, name: string) => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const found = text.matchAll(new RegExp(`^forum_${name}(?= ) (.*)$`, "gm"))
  return [...found].reduce((sum, [, value]) => sum + Number(value), 0)
}

const opened = (target: Target) => figure(target, "change_streams_open")

const slowReaders = (target: Target) => figure(target, 'http_refusals_total\\{.*reason="slow_reader".*\\}')

const untilNoneIsOpen = async (target: Target) => {
  const end = performance.now() + noticed
  while ((await opened(target)) > 0) {
    assert.isBelow(performance.now(), end, "streams were left open")
    await wait(50)
  }
}

/** Waits until new connections are accepted, on whichever listener: those that were left are accepted before. */
const untilAccepted = ({ port }: Target) =>
  Promise.all(Array.from({ length: 64 }, () => call(port, { path: "/api/version", agent: new Agent() })))

const lines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")

/** A network that no other attack comes from. */
const network = (n: number) => forwarded(`10.1.${(n >> 8) & 255}.${n & 255}`)

/** Asks for a stream, and answers the status; the connection stays open. */
const ask = (port: number, headers: Readonly<Record<string, string>>, sockets: Array<Socket>) =>
  new Promise<number>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    sockets.push(socket)
    let text = ""
    socket.on("error", () => resolve(0)).on("close", () => resolve(0))
    socket.on("data", (part) => {
      text += part.toString("latin1")
      const status = /^HTTP\/1.1 (\d+)/.exec(text)?.[1]
      if (status !== undefined) resolve(Number(status))
    })
    socket.write(get(path, lines(headers)))
  })

/** Asks for so many streams, and holds those that are given for a while, of which there are as many as may be. */
const askForMany = async (
  target: Target,
  count: number,
  headersOf: (n: number) => Readonly<Record<string, string>>,
  most: number
) => {
  const sockets: Array<Socket> = []
  const statuses = new Map<number, number>()
  try {
    for (let n = 0; n < count; n += 100) {
      const asked = Array.from({ length: 100 }, (_, more) => ask(target.port, headersOf(n + more), sockets))
      for (const status of await Promise.all(asked)) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    assert.strictEqual(await opened(target), most)
    await answered(Promise.resolve<Statuses>(statuses), 200, 503)
    assert.strictEqual(statuses.get(200), most)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  await untilNoneIsOpen(target)
}

/** Changes what staff are told of at length, so that what is not taken becomes much. */
const changeSettings = ({ admin, port }: Target, n: number) =>
  call(port, {
    method: "PATCH",
    path: "/api/admin",
    headers: admin,
    body: { content: `<p>${n}</p><p>${"a ".repeat(60_000)}</p>` }
  })

export const streams = (target: () => Target) => {
  attack("two thousand streams are asked for from one address", target, (target) =>
    askForMany(target, 2000, () => network(1), streamsMax.network)
  )

  attack("two thousand streams are asked for by one account from everywhere", target, (target) =>
    askForMany(target, 2000, (n) => ({ ...target.member, ...network(n) }), streamsMax.account)
  )

  attack("two thousand streams are asked for from everywhere", target, (target) =>
    whileOthersWrite(target, askForMany(target, 2000, network, ofProcess))
  )

  attack("readers take nothing of what is told at length", target, async (target) => {
    const before = await slowReaders(target)
    const sockets = Array.from({ length: streamsMax.account }, () =>
      open(target.port, [get(path, lines(target.admin))])
    )
    const isClosed = async () => (await slowReaders(target)) >= before + sockets.length
    const growth = await growthDuring(
      target,
      (async () => {
        const end = performance.now() + noticed
        for (let n = 0; !(await isClosed()); n++) {
          assert.isBelow(performance.now(), end, "readers who take nothing were left open")
          assert.strictEqual((await changeSettings(target, n)).status, 200)
        }
        await untilNoneIsOpen(target)
      })()
    )
    for (const socket of sockets) socket.destroy()
    print(`the service grew by ${Math.round(growth)} MB`)
    assert.isBelow(growth, growthMax)
  })

  attack("streams are opened and left at once", target, async (target) => {
    await leave(target, 64, 5, (n) => [get(path, lines(network(n)))])
    await untilAccepted(target)
    await untilNoneIsOpen(target)
  })

  attack("twice as many as may wait for what happens, while all members write", target, async (target) => {
    const { json } = await call(target.port, { path: "/api/changes?after=latest" })
    const sockets: Array<Socket> = []
    const waiting = async () => {
      for (let n = 0; n < 2 * ofProcess; n++) {
        const headers = lines(network(n % 40))
        sockets.push(open(target.port, [get(`/api/changes?after=${json.next}&wait=30`, headers)]))
        if (n % 30 === 29) await wait(75)
      }
    }
    const writing = flood(target, 16, (n) => ({
      method: "POST",
      path: `/api/threads/${target.thread}/replies`,
      headers: target.members(n).headers,
      body: { body: `Reply ${n}` }
    }))
    await Promise.all([waiting(), answered(writing, 200, 503)])
    for (const socket of sockets) socket.destroy()
    await untilNoneIsOpen(target)
  })

  attack("changes are asked for by ever other names, from the oldest on", target, (target) =>
    answered(
      flood(target, 32, (n) => {
        const names = changeNames.filter((_, index) => ((n * 7919) >> (index % 16)) & 1)
        return { path: `/api/changes?limit=500&events=${[...names, changeNames[n % 42]].join(",")}` }
      }),
      200,
      429,
      503
    )
  )

  attack("cursors are forged, or as old as can be", target, (target) =>
    answered(
      flood(target, 32, (n) => {
        const old = cursorOf(
          n % 2 === 0 ? beginning : { generation: n, txid: String(2n ** 60n), id: BigInt(n) }
        )
        if (n % 3 > 0) return { path: `/api/changes?after=${old}&events=EventNodeDeleted` }
        return { path: `${n % 2 === 0 ? path : "/api/changes"}?after=${old.replace(/^./, "_")}` }
      }),
      400,
      200,
      410,
      429,
      503
    )
  )
}
