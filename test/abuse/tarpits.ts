/** Servers that the service connects to, and that do not do what they should. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { Effect, Exit, Scope } from "effect"
import { serve } from "../support/mailbox.ts"

/** Pages that the service fetches may be on this machine, at an address where nothing else of it is. */
export const outside = "127.0.0.3"

/** Answers the port. */
export const listen = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, outside, () => resolve((server.address() as AddressInfo).port))
  })

/** One that does not answer. */
export interface SilentServer {
  /** Its host and port. */
  readonly address: string
  /** How many connections it had at the same time. */
  readonly most: () => number
  readonly close: () => void
}

/** Servers that accept connections and never answer. */
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
    address: `${outside}:${ports[0]}`,
    url: (n: number) => `http://${outside}:${ports[n % ports.length]}/page/${n}`,
    most: () => most,
    close: () => {
      for (const server of servers) server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** A mail server that takes mails and never says so. */
export const openSilentMailServer = async (): Promise<SilentServer> => {
  const scope = Scope.makeUnsafe()
  const { behaviour, connections, port } = await Effect.runPromise(Scope.provide(serve, scope))
  behaviour.current = { _tag: "Hold" }
  return {
    address: `127.0.0.1:${port}`,
    most: () => connections.most,
    close: () => {
      Effect.runFork(Scope.close(scope, Exit.void))
    }
  }
}
