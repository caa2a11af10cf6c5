/** How connections to the database are read. */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { assert, it } from "@effect/vitest"
import { makeServerSockets } from "../../../src/persistence/primary/ServerSockets.ts"

const answer = 8 * 1024 * 1024

it("a long answer is read a part in a turn of the event loop, and as a whole", async () => {
  const server = createServer((connection) => connection.end(Buffer.alloc(answer)))
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const socket = makeServerSockets().open({ host: "127.0.0.1", port })
  let [all, ofTurn, most] = [0, 0, 0]
  const endTurn = () => {
    ofTurn = 0
    if (all < answer) setImmediate(endTurn)
  }
  endTurn()
  socket.on("data", ({ length }: Uint8Array) => {
    all += length
    ofTurn += length
    most = Math.max(most, ofTurn)
  })
  await once(socket, "end")
  assert.strictEqual(all, answer)
  // What has arrived before the socket is paused comes as well.
  assert.isAtMost(most, 2 * 64 * 1024)
  server.close()
})
