/** A connection of a plugin, whichever library speaks its protocol. */
import { Data, type Effect } from "effect"

/** Why the service ends a connection: codes of WebSockets (RFC 6455, 7.4), which programs of plugins act on. */
export const closings = {
  /** The plugin was stopped or deleted, or has another manifest or token. */
  closed: { code: 1000, reason: "closed" },
  /** It may not connect now: it is not wanted, or is connected. */
  rejected: { code: 1008, reason: "connection rejected" },
  /** It sends what is no frame of JSON-RPC. */
  unreadable: { code: 1007, reason: "not JSON-RPC 2.0" },
  /** Something failed in the service. */
  failed: { code: 1011, reason: "internal error" },
  /** The service stops, and may be back soon. */
  restarting: { code: 1012, reason: "service restart" },
  /** Frames came that are far longer than what was read of the connection, as they were compressed. */
  expanding: { code: 1009, reason: "too much at once" },
  /** It takes too little of what it is sent. */
  slow: { code: 1013, reason: "too slow" }
} as const
export type Closing = (typeof closings)[keyof typeof closings]

/** The connection is closed, by either side. */
export class PluginSocketClosed extends Data.TaggedError("PluginSocketClosed") {}

/** A frame that has come. */
export interface ReceivedFrame {
  /** Absent if it is binary, which means nothing. */
  readonly text: string | undefined
  readonly bytes: number
}

export interface PluginSocket {
  /** What the program that connects calls itself. */
  readonly userAgent: string
  /** Whether it reads batches of frames. */
  readonly readsBatches: boolean
  /** Sends a frame. A connection on which too much waits to be taken is closed. */
  readonly send: (text: string) => void
  /** Sends frames, as UTF-8, with one write. */
  readonly sendTogether: (frames: ReadonlyArray<Uint8Array>) => void
  /** The next frame. Nothing more is read from the network while several wait, or a long one. */
  readonly receive: Effect.Effect<ReceivedFrame, PluginSocketClosed>
  readonly close: (closing: Closing) => Effect.Effect<void>
  readonly closed: Effect.Effect<void>
  /** False from when either side begins to close the connection. */
  readonly isOpen: () => boolean
}
