/**
 * A real browser follows a thread by `EventSource`, through a restart of the service and a change of instance:
 * `node test/browser/changes.ts <path of Chromium> <directory for data>`.
 */
import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { Effect, Exit, Redacted, Scope } from "effect"
import * as EmbeddedPostgres from "../../src/layers/postgres/EmbeddedPostgres.ts"
import { launch } from "./devtools.ts"

const [executable = "", directory = ""] = process.argv.slice(2)

/** How long whatever is waited for may take, in milliseconds. */
const patience = 60_000

/** How soon a reply is shown, in milliseconds. */
const shownWithin = 1000

const until = async (what: string, isSo: () => Promise<boolean>) => {
  const end = performance.now() + patience
  while (!(await isSo())) {
    assert.ok(performance.now() < end, what)
    await wait(10)
  }
}

const scope = Scope.makeUnsafe()
const postgres = await Effect.runPromise(
  Scope.provide(EmbeddedPostgres.start({ dataDir: join(directory, "data"), transport: "tcp" }), scope)
)
const { database, host, password, port: postgresPort, username } = postgres
const databaseUrl = `postgres://${username}:${Redacted.value(password)}@${host}:${postgresPort}/${database}`

/** Passes connections on to whichever instance is the current one. */
const startProxy = async () => {
  const open = new Set<Socket>()
  let current = 0
  const server = createServer((socket) => {
    const onward = connect(current, "127.0.0.1")
    for (const [one, other] of [
      [socket, onward],
      [onward, socket]
    ] as const) {
      open.add(one)
      one.pipe(other)
      one
        .on("error", () => {})
        .on("close", () => {
          open.delete(one)
          other.destroy()
        })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://localhost:${port}`,
    /** From now on another instance answers, also those who have a connection. */
    switchTo: (port: number) => {
      current = port
      for (const socket of open) socket.destroy()
    },
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    }
  }
}

interface Instance {
  readonly port: number
  readonly process: ChildProcess
}

const proxy = await startProxy()

const startInstance = (name: string) =>
  new Promise<Instance>((resolve, reject) => {
    const child = spawn(process.execPath, ["src/main.js"], {
      env: {
        PATH: process.env.PATH,
        HOST: "127.0.0.1",
        PORT: "0",
        DATABASE_URL: databaseUrl,
        DATA_DIR: join(directory, name),
        PUBLIC_URL: proxy.address
      },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let said = ""
    child.stdout.on("data", (part) => {
      said += part
      const port = /Listening on http:\/\/[^"\s]+:(\d+)/.exec(said)?.[1]
      if (port !== undefined) resolve({ port: Number(port), process: child })
    })
    child.once("exit", () => reject(new Error(`An instance ended: ${said}`)))
  })

const stopInstance = async ({ process: child }: Instance) => {
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  await ended
}

const running = new Set([await startInstance("first")])
const second = await startInstance("second")
running.add(second)
const [first = second] = running
proxy.switchTo(first.port)

const post = async ({ port }: Instance, path: string, body: object, cookie = "") => {
  const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(cookie === "" ? {} : { cookie }) },
    body: JSON.stringify(body)
  })
  assert.equal(response.status, 200, path)
  const { id } = Object(await response.json())
  return { id: String(id), cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "" }
}

const browser = await launch(executable)
try {
  const { cookie } = await post(first, "/auth/password/signup", {
    identifier: "odin",
    token: "a long password"
  })
  const thread = await post(
    first,
    "/threads",
    { title: "Followed", body: "<p>Something to follow.</p>", visibility: "published" },
    cookie
  )

  // Whatever page of the origin; its own policy would not let it follow anything.
  await browser.page("Page.setBypassCSP", { enabled: true })
  await browser.open(`${proxy.address}/api/version`)
  await browser.evaluate(`
    document.body.textContent = ""
    window.begun = 0
    const changes = new EventSource("/api/changes/stream?events=EventThreadReplyCreated")
    changes.addEventListener("open", () => { window.begun += 1 })
    changes.addEventListener("change", ({ data }) => {
      const { event } = JSON.parse(data)
      if (event.thread_id !== ${JSON.stringify(thread.id)}) return
      const shown = document.createElement("p")
      shown.id = event.reply_id
      document.body.append(shown)
      fetch("/api/threads/" + event.thread_id)
        .then((response) => response.json())
        .then(({ replies }) => { shown.innerHTML = replies.replies.find(({ id }) => id === shown.id).body })
    })
    true`)

  const begun = (times: number) =>
    until(
      `the browser did not connect ${times} times`,
      async () => Number(await browser.evaluate("window.begun")) >= times
    )

  const ids: Array<string> = []
  const reply = async (instance: Instance) => {
    const text = `Reply ${ids.length}`
    const { id } = await post(instance, `/threads/${thread.id}/replies`, { body: `<p>${text}</p>` }, cookie)
    ids.push(id)
    return text
  }

  const shown = (text: string) =>
    until(`"${text}" was not shown`, async () =>
      String(await browser.evaluate("document.body.textContent")).includes(text)
    )

  await begun(1)
  const times: Array<number> = []
  for (let n = 0; n < 5; n++) {
    const text = await reply(first)
    const start = performance.now()
    await shown(text)
    times.push(performance.now() - start)
  }
  const [quickest = 0, , median = 0] = times.toSorted((one, other) => one - other)
  process.stdout.write(
    `Shown after ${Math.round(quickest)} ms at best, and ${Math.round(median)} ms mostly\n`
  )
  assert.ok(median < shownWithin)

  // What is said while it restarts is shown afterwards.
  running.delete(first)
  await stopInstance(first)
  await reply(second)
  const again = await startInstance("first")
  running.add(again)
  proxy.switchTo(again.port)
  await shown(await reply(again))
  process.stdout.write("It went on after a restart\n")

  proxy.switchTo(second.port)
  await shown(await reply(again))
  process.stdout.write("It went on at another instance\n")

  const all = await browser.evaluate("[...document.body.children].map(({ id }) => id)")
  assert.deepEqual(all, ids, "each reply is shown once, in the order in which they were written")
  process.stdout.write("A browser follows changes\n")
} finally {
  await browser.close()
  proxy.close()
  for (const instance of running) await stopInstance(instance)
  await Effect.runPromise(Scope.close(scope, Exit.void))
}
