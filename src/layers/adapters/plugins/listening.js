/**
 * Listens on ports of 127.0.0.1 in the network of a plugin, and gives them to the service, which accepts connections
 * there from outside of that network. It is plain JavaScript because every start of a plugin waits for it.
 */
import { createServer } from "node:net"

const servers = process.argv.slice(2).map(
  (port) =>
    new Promise((resolve, reject) => {
      const server = createServer()
      server.once("error", reject)
      server.listen(Number(port), "127.0.0.1", () => resolve(server))
    })
)

for (const server of await Promise.all(servers)) {
  const { port } = server.address()
  await new Promise((resolve, reject) => {
    process.send({ port }, server, (error) => (error === null ? resolve() : reject(error)))
  })
}
await new Promise((resolve) => process.once("message", resolve))
process.exit()
