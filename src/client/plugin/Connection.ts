/** One connection of a plugin, from the request for it to its end. */
import {
  batchOf,
  type Frame,
  failureFrame,
  type RpcFailure,
  readFrames,
  requestFrame,
  resultFrame
} from "../../domain/plugin/PluginRpc.ts"
import { disconnectedBy, PluginCallFailed } from "./Failures.ts"
import { watchStatus } from "./Platform.ts"
import type { Ending } from "./Reconnecting.ts"

/** What a request of the service comes to. */
export type Outcome =
  | { readonly _tag: "Done"; readonly result: object }
  | { readonly _tag: "Failed"; readonly failure: RpcFailure }

/** Answers what the service asks. */
export type Answering = (method: string, params: unknown) => Promise<Outcome>

export interface Connection {
  /** Asks the service something. */
  readonly call: (method: string, params?: object) => Promise<unknown>
  readonly close: () => void
}

export interface Opening {
  readonly opened: Promise<Connection | undefined>
  readonly ended: Promise<Ending>
  /** Gives the attempt or the connection up. */
  readonly close: () => void
}

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (failure: unknown) => void
}

/** The calls that wait for an answer. */
const makeCalls = (send: (frame: string) => void) => {
  const pending = new Map<string | number, Pending>()
  let made = 0
  const taken = (id: string | number) => {
    const call = pending.get(id)
    pending.delete(id)
    return call
  }
  return {
    call: (method: string, params: object = {}) =>
      new Promise<unknown>((resolve, reject) => {
        const id = `call-${++made}`
        pending.set(id, { resolve, reject })
        send(requestFrame(id, method, params))
      }),
    succeed: (id: string | number, result: unknown) => taken(id)?.resolve(result),
    fail: (id: string | number, { code, message }: RpcFailure) =>
      taken(id)?.reject(new PluginCallFailed({ code, message })),
    end: (ending: Ending) => {
      for (const { reject } of pending.values()) reject(disconnectedBy(ending))
      pending.clear()
    }
  } as const
}

/** Asks for a connection on which several events may come in one frame. */
export const openConnection = (url: URL, answering: Answering): Opening => {
  const address = new URL(url)
  address.searchParams.set("batches", "true")
  const statusOf = watchStatus(address)
  const socket = new WebSocket(address)
  const calls = makeCalls((frame) => send(frame))
  let wasOpen = false
  let ending: Ending | undefined

  const send = (frame: string) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(frame)
    else if (ending !== undefined) calls.end(ending)
  }

  const answerTo = async ({ id, method, params }: Extract<Frame, { readonly _tag: "Request" }>) => {
    const outcome = await answering(method, params)
    if (id === undefined) return []
    return [
      outcome._tag === "Done" ? resultFrame(id, method, outcome.result) : failureFrame(id, outcome.failure)
    ]
  }

  /** What is sent back for a frame: one text or none. */
  const take = async (frame: Frame): Promise<ReadonlyArray<string>> => {
    switch (frame._tag) {
      case "Request":
        return answerTo(frame)
      case "Result":
        calls.succeed(frame.id, frame.result)
        return []
      case "Failure":
        calls.fail(frame.id, frame.failure)
        return []
      case "Refused":
      case "Unreadable":
        socket.close(3007, "not JSON-RPC 2.0")
        return []
    }
  }

  const read = async (text: string) => {
    const { frames, isBatch } = readFrames(text)
    const answers = (await Promise.all(frames.map(take))).flat()
    if (isBatch && answers.length > 0) send(batchOf(answers))
    else for (const answer of answers) send(answer)
  }

  const ended = new Promise<Ending>((resolve) => {
    socket.onclose = ({ code, reason }) => {
      ending = { wasOpen, status: wasOpen ? undefined : statusOf(), code, reason }
      calls.end(ending)
      resolve(ending)
    }
  })
  const opened = new Promise<Connection | undefined>((resolve) => {
    socket.onopen = () => {
      wasOpen = true
      statusOf()
      resolve({ call: calls.call, close: () => socket.close(1000) })
    }
    ended.then(() => resolve(undefined))
  })
  // It says nothing that the end does not say, and would be an uncaught error in some platforms.
  socket.onerror = () => {}
  // Frames that are not text mean nothing.
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") read(data)
  }
  return { opened, ended, close: () => socket.close(1000) }
}
