/**
 * Listeners at one address, among which the system shares out the connections. Node accepts one connection of each
 * listener in a turn of the event loop: with a single one, new connections waited for two seconds where hundreds of
 * others were opened and turns were full of work.
 */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"

/** Whether several listeners of a process can have the same address here, and connections are shared out among them. */
export const sharesAddress = process.platform === "linux"

/** How many there are at an address, the first one included. */
export const listenersMax = 8

export interface Listeners {
  /** Listens some more times where the first one does, which has to allow that (`reusePort`). */
  readonly open: (at: AddressInfo) => void
  /** Lets nobody connect any more, and waits until nobody is connected. */
  readonly close: () => Promise<unknown>
}

/** Makes the listeners beside the first one. What cannot listen leaves its part to the others. */
export const makeListeners = (connected: (socket: Socket) => void): Listeners => {
  const listeners: Array<Server> = []
  return {
    open: ({ address: host, port }) => {
      while (listeners.length < listenersMax - 1) {
        // As Node's HTTP server has them.
        const listener = createServer({ allowHalfOpen: true, noDelay: true }, connected)
        listeners.push(listener.on("error", () => {}).listen({ port, host, reusePort: true }))
      }
    },
    close: () => Promise.all(listeners.splice(0).map((one) => new Promise((resolve) => one.close(resolve))))
  }
}
