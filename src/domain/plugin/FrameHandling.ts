/** What the service does with the frames that a plugin sends. */
import { Effect } from "effect"
import type { PluginId } from "../shared/Id.ts"
import { bytesPerSecond, type PluginPace } from "./PluginPace.ts"
import { batchOf, type Frame, failureFrame, type Received, rpcCodes } from "./PluginRpc.ts"
import { closings, type PluginSocket } from "./PluginSocket.ts"
import type { Answer, FailedEvent } from "./Unanswered.ts"

/** How many calls a batch has. */
export const callsMax = 100

/** How many characters the answers to a batch have; what is called beyond them fails. */
const answersMax = bytesPerSecond

type Request = Extract<Frame, { readonly _tag: "Request" }>

export interface HandledConnection {
  readonly id: PluginId
  readonly socket: PluginSocket
  readonly pace: PluginPace
  /** The answer to a call, unless nobody waits for one. */
  readonly host: (request: Request) => Effect.Effect<string | undefined>
  /** Takes an answer. */
  readonly answered: (answer: Answer) => FailedEvent | undefined
}

const callFailed = { code: rpcCodes.failed, message: "The call failed in the service" }

const tooManyCalls = failureFrame(null, {
  code: rpcCodes.invalidRequest,
  message: `A batch has ${callsMax} calls at most`
})

const tooLong = { code: rpcCodes.failed, message: "The answers to this batch are too long together" }

/** What is sent back in place of an answer for which there is no room. */
const tooLongFor = (frame: Frame) =>
  frame._tag === "Request" && frame.id !== undefined ? failureFrame(frame.id, tooLong) : undefined

const isUnreadable = ({ _tag }: Frame) => _tag === "Unreadable"
const isAnswer = (frame: Frame): frame is Answer => frame._tag === "Result" || frame._tag === "Failure"

const logFailed = (id: PluginId, failed: FailedEvent) =>
  Effect.annotateLogs(Effect.logInfo("A plugin could not handle an event"), { plugin_id: id, ...failed })

/** Makes what handles the frames of one connection. */
export const makeFrameHandling = ({ answered, host, id, pace, socket }: HandledConnection) => {
  const answering = (text: string) => {
    pace.count(text.length)
    socket.send(text)
  }

  const asked = (request: Request) =>
    Effect.catchCause(host(request), (cause) =>
      Effect.as(
        Effect.annotateLogs(Effect.logError("A call of a plugin failed", cause), {
          plugin_id: id,
          method: request.method
        }),
        request.id === undefined ? undefined : failureFrame(request.id, callFailed)
      )
    )

  /** What is sent back for a frame, if anything is. */
  const answerTo = (frame: Exclude<Frame, Answer>): Effect.Effect<string | undefined> => {
    switch (frame._tag) {
      case "Request":
        return asked(frame)
      case "Refused":
        return Effect.succeed(failureFrame(null, frame.failure))
      case "Unreadable":
        return Effect.succeed(undefined)
    }
  }

  /** Answers calls one after the other, and in place of those that would make too much, that they failed. */
  const answersTo = Effect.fnUntraced(function* (frames: ReadonlyArray<Frame>) {
    const answers: Array<string> = []
    let length = 0
    for (const frame of frames) {
      if (isAnswer(frame)) {
        const failed = answered(frame)
        if (failed !== undefined) yield* logFailed(id, failed)
        continue
      }
      const answer = length > answersMax ? tooLongFor(frame) : yield* answerTo(frame)
      if (answer === undefined) continue
      answers.push(answer)
      length += answer.length
    }
    return answers
  })

  return Effect.fnUntraced(function* ({ frames, isBatch }: Received) {
    pace.count(0, frames.length - 1)
    if (frames.some(isUnreadable)) return yield* socket.close(closings.unreadable)
    if (isBatch && frames.filter((frame) => !isAnswer(frame)).length > callsMax)
      return answering(tooManyCalls)
    const answers = yield* answersTo(frames)
    if (isBatch && answers.length > 0) answering(batchOf(answers))
    else for (const answer of answers) answering(answer)
  })
}
