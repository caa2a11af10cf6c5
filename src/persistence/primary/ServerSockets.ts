/** Connections to the servers of a database, as sockets. */
import { connect, type Socket } from "node:net"
import { type DatabaseHost, hostText } from "./DatabaseAddress.ts"

export const isSame = (one: DatabaseHost, other: DatabaseHost): boolean =>
  one.host === other.host && one.port === other.port

export const socketTo = ({ host, port }: DatabaseHost): Socket =>
  host.startsWith("/")
    ? connect({ path: `${host}/.s.PGSQL.${port}` })
    : connect({ host, port, noDelay: true })

/** The largest part that Node reads of a socket, in bytes. */
const readAtOnce = 64 * 1024

/**
 * Reads two parts of a long answer at most in a turn of the event loop: the one after which it pauses, and one that has
 * arrived by then. Node reads up to 32 of them in a row: 2 MiB of rows, which take a tenth of a second to decode, while
 * everybody else waits. Not for sockets that their user pauses, as streams of rows do.
 */
const readByTurns = (socket: Socket): Socket =>
  socket.on("data", ({ length }: Uint8Array) => {
    if (length < readAtOnce) return
    socket.pause()
    setImmediate(() => socket.resume())
  })

export interface ServerSockets {
  /** Opens a connection that is read by turns of the event loop. */
  readonly open: (host: DatabaseHost) => Socket
  /** Cuts off the connections to all other servers. */
  readonly cutOthers: (primary: DatabaseHost) => void
  /** Cuts off all connections. */
  readonly cut: (why: string) => void
}

export const makeServerSockets = (): ServerSockets => {
  const open = new Map<Socket, DatabaseHost>()
  return {
    open: (host) => {
      const socket = readByTurns(socketTo(host))
      open.set(socket, host)
      socket.once("close", () => open.delete(socket))
      return socket
    },
    cutOthers: (primary) => {
      for (const [socket, host] of open) {
        if (!isSame(host, primary)) socket.destroy(new Error(`${hostText(host)} is not the primary any more`))
      }
    },
    cut: (why) => {
      for (const socket of open.keys()) socket.destroy(new Error(why))
    }
  }
}
