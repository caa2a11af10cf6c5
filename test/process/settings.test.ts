/** What is wrong with the environment of a service is said in one line each. */
import { connect, createServer, type Socket } from "node:net"
import { afterAll, assert, it } from "vitest"
import { type Service, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { freshDatabase } from "./support.ts"

const services: Array<Service> = []
afterAll(() => {
  for (const service of services) service.process.kill("SIGKILL")
})

it("a directory that cannot be made prevents the start", async () => {
  const service = startService({ DATA_DIR: "/proc/nope/data" })
  services.push(service)
  assert.strictEqual(await service.exited, 1)
  assert.match(
    service.errors(),
    /^The embedded PostgreSQL does not run: could not create \/proc\/nope\/data: .*\n$/
  )
})

it("a Node that is too old prevents the start", async () => {
  const older = "data:text/javascript,Object.defineProperty(process,'version',{value:'v24.6.1'})"
  const service = startService({}, ["--import", older])
  services.push(service)
  assert.strictEqual(await service.exited, 1)
  assert.match(service.errors(), /^The service needs Node 24\.7 or newer, and this is v24\.6\.1\..*\n$/)
})

/** A way to a database that is lost for good once a transaction was committed on it. */
const losing = async (databaseUrl: string) => {
  const url = new URL(databaseUrl)
  const { searchParams } = url
  const [host, port] = [searchParams.get("host") ?? "", Number(searchParams.get("port"))]
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    let isCommitted = false
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on("error", () => {})
    }
    client.on("data", (bytes) => {
      isCommitted ||= bytes.toString("latin1").toLowerCase().includes("commit")
      server.write(bytes)
    })
    server.on("data", (bytes) => {
      if (!isCommitted) {
        client.write(bytes)
        return
      }
      proxy.close()
      client.end(bytes)
      for (const socket of sockets) if (socket !== client) socket.destroy()
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  const address = proxy.address()
  searchParams.set("host", "127.0.0.1")
  searchParams.set("port", String(typeof address === "object" ? address?.port : 0))
  return url.href
}

it("a database that is lost after the first statements prevents the start", async () => {
  const service = startService({ DATABASE_URL: await losing(await freshDatabase()) })
  services.push(service)
  assert.strictEqual(await service.exited, 1)
  assert.match(
    service.errors(),
    /^The start failed at the database: .+\. Start the service again once the database answers\.\n$/
  )
})

it("names that are nearly those of settings are warned of, and files that cannot be stored", async () => {
  const service = startService({
    DATABASE_URL: await freshDatabase(),
    DATABSE_URL: "hush-hush",
    DATA_DIR: "/proc/nope"
  })
  services.push(service)
  const port = await service.listening()
  const ready = await sendTo(port, { path: "/readyz" })
  assert.deepStrictEqual([ready.status, ready.text], [200, ""])
  service.process.kill("SIGTERM")
  assert.strictEqual(await service.exited, 0)
  const log = service.lines.join("\n")
  assert.include(log, "DATABSE_URL is no setting. Is DATABASE_URL meant?")
  assert.include(log, "Uploaded files cannot be stored")
  assert.notInclude(log, "hush-hush")
})
