/** How a program in a network of its own reaches the service: connections that are accepted there go on here. */
import { connect, type Server, type Socket } from "node:net"
import { pipeline } from "node:stream"

// What one plugin may have open at a time.
const connectionsMax = 64

/** Passes bytes on in both directions, until one side ends. */
export const join = (one: Socket, other: Socket): void => {
  const done = () => {
    one.destroy()
    other.destroy()
  }
  pipeline(one, other, done)
  pipeline(other, one, done)
}

/** Hands over the connections that a server accepts, and answers how to close it and them. */
export const serve = (server: Server, handle: (socket: Socket) => void) => {
  const open = new Set<Socket>()
  server.maxConnections = connectionsMax
  server.on("error", () => {})
  server.on("connection", (socket: Socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
    // Whoever reads it learns of the failure, too.
    socket.on("error", () => {})
    handle(socket)
  })
  server.unref()
  return () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
}

/** Leads to a port of this machine. */
export const leadTo = (port: number, host: string) => (socket: Socket) => {
  join(socket, connect({ port, host }))
}
