/** A connection of a plugin over WebSockets, with bounds on what waits in both directions. */
import { Deferred, Effect } from "effect"
import type { WebSocket } from "ws"
import {
  type Closing,
  type PluginSocket,
  PluginSocketClosed
} from "../../../../domain/plugin/PluginSocket.ts"

/** How many bytes wait for a plugin at most, compressed or not. */
export const unsentMax = 1024 * 1024

/** How many frames are read ahead. */
const readAhead = 16

/** How often a connection shows that it is alive, in milliseconds; one that does not twice in turn is closed. */
const pingEvery = 30_000

/** How long the other side may take to close the connection, in milliseconds. */
const closingMax = 2000

interface Waiting {
  readonly give: (text: string) => void
  readonly end: () => void
}

/** Reads frames one after the other, and nothing from the network while several wait. */
const makeReading = (socket: WebSocket) => {
  const texts: Array<string> = []
  let waiting: Waiting | undefined
  let isClosed = false

  /** Who waits goes on at once, and may wait again before this is over. */
  const takeWaiting = () => {
    const taken = waiting
    waiting = undefined
    return taken
  }

  socket.on("message", (data, isBinary) => {
    if (isBinary) return
    const text = String(data)
    const reader = takeWaiting()
    if (reader !== undefined) return reader.give(text)
    texts.push(text)
    if (texts.length >= readAhead) socket.pause()
  })
  socket.once("close", () => {
    isClosed = true
    takeWaiting()?.end()
  })

  return Effect.callback<string, PluginSocketClosed>((resume) => {
    const text = texts.shift()
    if (texts.length < readAhead / 2 && socket.isPaused) socket.resume()
    if (text !== undefined) resume(Effect.succeed(text))
    else if (isClosed) resume(Effect.fail(new PluginSocketClosed()))
    else {
      waiting = {
        give: (next) => resume(Effect.succeed(next)),
        end: () => resume(Effect.fail(new PluginSocketClosed()))
      }
    }
    return Effect.sync(() => {
      waiting = undefined
    })
  })
}

/** Closes a connection whose other side is gone without a word. */
const watch = (socket: WebSocket) => {
  let isAlive = true
  socket.on("pong", () => {
    isAlive = true
  })
  const pings = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, pingEvery).unref()
  socket.once("close", () => clearInterval(pings))
}

const closeWith = (socket: WebSocket, { code, reason }: Closing) => {
  socket.close(code, reason)
  const late = setTimeout(() => socket.terminate(), closingMax)
  socket.once("close", () => clearTimeout(late))
}

export const pluginSocket = (socket: WebSocket, userAgent: string): PluginSocket => {
  const closed = Deferred.makeUnsafe<void>()
  socket.on("error", () => {})
  socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
  watch(socket)
  return {
    userAgent,
    send: (text) => {
      if (socket.readyState !== socket.OPEN) return
      socket.send(text)
      // What waits would be sent before the connection is closed in order.
      if (socket.bufferedAmount > unsentMax) socket.terminate()
    },
    receive: makeReading(socket),
    close: (closing) => Effect.sync(() => closeWith(socket, closing)),
    closed: Deferred.await(closed),
    isOpen: () => socket.readyState === socket.OPEN
  }
}
