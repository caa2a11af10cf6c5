/** Instances behind a load balancer are replaced one after the other while clients read, write and follow. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, it } from "vitest"
import { chanceOf } from "../kills/chance.ts"
import { follow } from "../kills/following.ts"
import { type Service, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { freshDatabase } from "./support.ts"

const writers = 4
const readers = 4

/** A load balancer, which gives each connection to the next of its instances. */
const startBalancer = async () => {
  const ports: Array<number> = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const port = ports.shift()
    if (port === undefined) {
      client.destroy()
      return
    }
    ports.push(port)
    const instance = connect(port, "127.0.0.1")
    const join = (socket: Socket, other: Socket) => {
      sockets.add(socket)
      socket
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(socket)
          other.destroy()
        })
        .pipe(other)
    }
    join(client, instance)
    join(instance, client)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    add: (port: number) => ports.push(port),
    remove: (port: number) => ports.splice(ports.indexOf(port), 1),
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}

const json = { "content-type": "application/json" }
const running = new Set<Service>()

afterAll(() => {
  for (const { process } of running) process.kill("SIGKILL")
})

it("no request fails, and streams go on", { timeout: 600_000 }, async () => {
  const settings = {
    DATABASE_URL: await freshDatabase(),
    DRAIN_SECONDS: "60",
    RATE_LIMIT_EXEMPT: "127.0.0.0/8"
  }
  const balancer = await startBalancer()
  const { port } = balancer
  const start = async () => {
    const service = startService(settings)
    running.add(service)
    const own = await service.listening()
    balancer.add(own)
    return { service, own }
  }
  const instances = await Promise.all([start(), start()])

  const succeed = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: object
  ) => {
    const answer = await sendTo(port, {
      method,
      path: `/api${path}`,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    assert.strictEqual(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer
  }
  const credentials = { identifier: "odin", token: "correct horse battery" }
  const { headers } = await succeed("POST", "/auth/password/signup", json, credentials)
  const odin = { ...json, cookie: headers["set-cookie"]?.split(";", 1)[0] ?? "" }
  const thread = JSON.parse(
    (await succeed("POST", "/threads", odin, { title: "Busy", visibility: "published" })).text
  ).id
  const { next } = JSON.parse((await succeed("GET", "/changes?after=latest", odin)).text)
  const follower = follow([port, port], odin, next, chanceOf(1))

  let isOver = false
  const written: Array<string> = []
  const write = async (name: string) => {
    for (let n = 0; !isOver; n++) {
      const { text } = await succeed("POST", `/threads/${thread}/replies`, odin, {
        body: `<p>${name}, ${n}</p>`
      })
      written.push(JSON.parse(text).id)
    }
  }
  const read = async () => {
    while (!isOver) await succeed("GET", "/threads", {})
  }
  const busy = Promise.all([
    ...Array.from({ length: writers }, (_, n) => write(`Writer ${n}`)),
    ...Array.from({ length: readers }, read)
  ]).finally(() => {
    isOver = true
  })
  busy.catch(() => {})

  const replace = async ({ own, service }: (typeof instances)[number]) => {
    await start()
    balancer.remove(own)
    service.process.kill("SIGTERM")
    assert.strictEqual(await service.exited, 0, service.errors())
    running.delete(service)
  }
  for (const instance of instances) if (!isOver) await replace(instance)
  isOver = true
  await busy

  const isTold = (id: string) => follower.told.some(({ key }) => key === `EventThreadReplyCreated ${id}`)
  while (!written.every(isTold)) await setTimeout(20)
  follower.leave()
  const told = follower.told.filter(({ key }) => key.startsWith("EventThreadReplyCreated"))
  assert.strictEqual(told.length, written.length)
  assert.isAbove(written.length, 20)
  assert.isAtLeast(follower.connections(), 2)
  balancer.close()
})
