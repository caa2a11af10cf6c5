/** Connections of a plugin in its network, which go on at the service. */
import { connect, createServer, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { serve } from "../../../src/layers/adapters/plugins/Doors.ts"
import { until } from "../../support/connections.ts"

it("a plugin has 64 connections at a time, and another one when one of them has ended", async () => {
  const server = createServer()
  const handled: Array<Socket> = []
  const close = serve(server, (socket) => handled.push(socket))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  let refused = 0
  const dial = () =>
    connect({ port, host: "127.0.0.1" })
      .on("error", () => {})
      .once("close", () => refused++)
  const sockets = Array.from({ length: 70 }, dial)
  await until(() => refused === 6)
  assert.lengthOf(handled, 64)
  handled[0]?.destroy()
  await until(() => refused === 7)
  dial()
  await until(() => handled.length === 65)
  close()
  await until(() => refused === 71)
  for (const socket of sockets) socket.destroy()
})
