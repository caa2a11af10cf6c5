/** Servers of attackers that the service connects to. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { outside } from "./target.ts"

/** Answers the port. */
export const listen = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, outside, () => resolve((server.address() as AddressInfo).port))
  })

/** Servers that accept connections and never answer, and how many connections they had at the same time. */
export const openTarpits = async (number: number) => {
  const sockets = new Set<Socket>()
  let most = 0
  const servers = Array.from({ length: number }, () =>
    createServer((socket) => {
      sockets.add(socket)
      most = Math.max(most, sockets.size)
      socket.on("error", () => {}).on("close", () => sockets.delete(socket))
      socket.resume()
    })
  )
  const ports = await Promise.all(servers.map(listen))
  return {
    url: (n: number) => `http://${outside}:${ports[n % ports.length]}/page/${n}`,
    most: () => most,
    close: () => {
      for (const server of servers) server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}
