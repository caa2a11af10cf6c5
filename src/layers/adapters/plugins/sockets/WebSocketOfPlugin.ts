/** A connection of a plugin over WebSockets, with bounds on what waits in both directions. */
import type { Socket } from "node:net"
import { Deferred, Effect } from "effect"
import type { RawData, WebSocket } from "ws"
import {
  type Closing,
  closings,
  type PluginSocket,
  PluginSocketClosed,
  type ReceivedFrame
} from "../../../../domain/plugin/PluginSocket.ts"
import { textFrame } from "./TextFrame.ts"

/** The longest frame that is taken, in bytes after decompression. */
export const frameMax = 4 * 1024 * 1024

/** How many bytes wait for a plugin at most, compressed or not. */
export const unsentMax = 1024 * 1024

/** How many frames are read ahead, and how many bytes of them. */
const readAhead = { frames: 16, bytes: 1024 * 1024 } as const

/**
 * How many bytes of frames wait to be read at most. What has come from the network when reading stops is little, but may
 * be compressed a thousandfold.
 */
export const unreadMax = 8 * 1024 * 1024

/** How often a connection shows that it is alive, in milliseconds; one that does not twice in turn is closed. */
const pingEvery = 30_000

/** How long the other side may take to close the connection, in milliseconds. */
const closingMax = 2000

const frameOf = (data: RawData, isBinary: boolean): ReceivedFrame => ({
  text: isBinary ? undefined : String(data),
  bytes: (Array.isArray(data) ? Buffer.concat(data) : data).byteLength
})

/** The frames that wait to be read. */
const makeWaitingFrames = () => {
  const frames: Array<ReceivedFrame> = []
  let bytes = 0
  return {
    add: (frame: ReceivedFrame) => {
      frames.push(frame)
      bytes += frame.bytes
    },
    take: () => {
      const first = frames.shift()
      bytes -= first?.bytes ?? 0
      return first
    },
    clear: () => {
      frames.length = 0
      bytes = 0
    },
    /** Whether some share of what is read ahead waits. */
    reach: (share: number) => frames.length >= readAhead.frames * share || bytes >= readAhead.bytes * share,
    areTooLong: () => bytes > unreadMax
  }
}

/** Reads frames one after the other, and nothing from the network while several wait. */
const makeReading = (socket: WebSocket, giveUp: () => void) => {
  const frames = makeWaitingFrames()
  let waiting: (() => void) | undefined
  let isOver = false
  // Nothing is read before somebody asks for it.
  socket.pause()

  /** Who waits goes on at once, and may wait again before this is over. */
  const takeWaiting = () => {
    const taken = waiting
    waiting = undefined
    return taken
  }

  const end = () => {
    isOver = true
    takeWaiting()?.()
  }

  socket.on("message", (data, isBinary) => {
    if (isOver) return
    frames.add(frameOf(data, isBinary))
    if (frames.areTooLong()) {
      frames.clear()
      end()
      return giveUp()
    }
    if (frames.reach(1)) socket.pause()
    // What else has come with this frame is there by then, and is taken without waiting.
    if (waiting !== undefined) queueMicrotask(() => takeWaiting()?.())
  })
  socket.once("close", end)

  const waitForFrame = Effect.callback<void>((resume) => {
    waiting = () => resume(Effect.void)
    return Effect.sync(() => {
      waiting = undefined
    })
  })

  const receive: PluginSocket["receive"] = Effect.suspend(() => {
    const frame = frames.take()
    if (socket.isPaused && !frames.reach(1 / 2)) socket.resume()
    if (frame !== undefined) return Effect.succeed(frame)
    return isOver ? Effect.fail(new PluginSocketClosed()) : Effect.andThen(waitForFrame, receive)
  })

  return receive
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

/** Closes a connection, however often that is asked for. */
const makeClosing = (socket: WebSocket) => {
  let late: NodeJS.Timeout | undefined
  socket.once("close", () => clearTimeout(late))
  return ({ code, reason }: Closing) => {
    if (socket.readyState === socket.CLOSED) return
    socket.close(code, reason)
    late ??= setTimeout(() => socket.terminate(), closingMax)
  }
}

/** A connection, and the one below it, whose writes can be put together. */
export const pluginSocket = (
  socket: WebSocket,
  network: Socket,
  { readsBatches, userAgent }: Pick<PluginSocket, "readsBatches" | "userAgent">
): PluginSocket => {
  const closed = Deferred.makeUnsafe<void>()
  socket.on("error", () => {})
  socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
  watch(socket)
  const close = makeClosing(socket)

  // Where a frame may be compressed, those after it wait for that.
  const isCompressing = socket.extensions !== ""
  const sendOne = isCompressing
    ? (text: Uint8Array) => socket.send(text, { binary: false, compress: false })
    : (text: Uint8Array) => network.write(textFrame(text))

  const sending = (send: () => void) => {
    if (socket.readyState !== socket.OPEN) return
    send()
    // What waits would be sent before the connection is closed in order.
    if (socket.bufferedAmount > unsentMax) socket.terminate()
  }

  return {
    userAgent,
    readsBatches,
    send: (text) => sending(() => socket.send(text)),
    // Compressing these for each plugin would take longer than all else.
    sendTogether: (texts) =>
      sending(() => {
        network.cork()
        for (const text of texts) sendOne(text)
        network.uncork()
      }),
    receive: makeReading(socket, () => close(closings.expanding)),
    close: (closing) =>
      Effect.sync(() => {
        close(closing)
        // The other side agrees, which is read like all it says.
        socket.resume()
      }),
    closed: Deferred.await(closed),
    isOpen: () => socket.readyState === socket.OPEN
  }
}
