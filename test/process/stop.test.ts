/** How the service stops, whatever its clients do. Its time is bounded by that of the tests. */
import { afterEach, describe, expect, it } from "vitest"
import { type Service, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { beginRequest, freshDatabase, openConnection, untilRefused } from "./support.ts"

const signUp = "/api/auth/password/signup"
const credentials = JSON.stringify({ identifier: "odin", token: "correct horse battery" })

let service: Service | undefined
afterEach(() => {
  service?.process.kill("SIGKILL")
})

const start = async (drainSeconds: number) => {
  service = startService({ DATABASE_URL: await freshDatabase(), DRAIN_SECONDS: `${drainSeconds}` })
  return { service, port: await service.listening() }
}

describe("the service", () => {
  it.each(["SIGINT", "SIGHUP"] as const)("finishes its requests on %s", async (signal) => {
    const { port, service } = await start(600)
    const request = beginRequest(port, signUp, credentials)
    await request.begun
    await sendTo(port, { path: "/readyz" })
    service.process.kill(signal)
    await untilRefused(port)
    request.finish()
    const { status, text } = await request.answer
    expect(status, text).toBe(200)
    expect(await service.exited).toBe(0)
    expect(service.errors()).toBe("")
  })

  it("does not wait for connections without a request", async () => {
    const { port, service } = await start(600)
    const silent = await openConnection(port, "")
    const kept = await openConnection(port, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
    await new Promise((resolve) => kept.socket.once("data", resolve))
    const incomplete = await openConnection(port, "GET /healthz HTTP/1.1\r\nhost:")
    await sendTo(port, { path: "/healthz" })
    service.process.kill("SIGTERM")
    expect(await service.exited).toBe(0)
    await Promise.all([silent.closed, kept.closed, incomplete.closed])
  })

  it("closes the connections of clients that send or receive slowly when its time is over", async () => {
    const { port, service } = await start(1)
    const requests = Array.from({ length: 3 }, () => beginRequest(port, signUp, credentials))
    await Promise.all(requests.map(({ begun }) => begun))
    // Pipelined requests for a large document, whose responses are not read.
    const document = "GET /api/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n"
    const reader = await openConnection(port, document.repeat(200))
    reader.socket.pause()
    await sendTo(port, { path: "/healthz" })
    service.process.kill("SIGTERM")
    for (const { answer } of requests) {
      const { status, text } = await answer
      expect(status, text).toBe(503)
      expect(JSON.parse(text).type).toBe("/api/problems/shutting-down")
    }
    expect(await service.exited).toBe(0)
    expect(service.errors()).toBe("")
    reader.socket.destroy()
  })
})
