/** What the service has sent to a plugin, and the plugin has not answered. */
import { Deferred, Effect, Predicate } from "effect"
import type { LoggedChange } from "../change/ChangeFeed.ts"
import type { ConfigurationAnswer } from "./ConfigurationAnswer.ts"
import { type Frame, type RpcFailure, rpcCodes } from "./PluginRpc.ts"

export type Answer = Extract<Frame, { readonly _tag: "Result" | "Failure" }>

/** An event that a plugin could not handle, and why. */
export interface FailedEvent extends RpcFailure {
  readonly event: string
}

/** How many events wait for the answer of a plugin; an answer to an older one says nothing. */
export const unansweredMax = 1000

const notOk = { code: rpcCodes.failed, message: "It is not ok" }

const isOk = (result: unknown): boolean => Predicate.hasProperty(result, "ok") && result.ok === true

/** What a plugin says to a configuration. */
export const saidBy = (answer: Answer): ConfigurationAnswer => {
  if (answer._tag === "Failure") return { _tag: "Failed", failure: answer.failure }
  return isOk(answer.result) ? { _tag: "Taken" } : { _tag: "Refused" }
}

export const makeUnanswered = () => {
  const calls = new Map<Answer["id"], Deferred.Deferred<Answer>>()
  const events = new Map<Answer["id"], string>()

  const failedBy = (answer: Answer): FailedEvent | undefined => {
    const event = events.get(answer.id)
    if (event === undefined) return undefined
    events.delete(answer.id)
    if (answer._tag === "Failure") return { event, ...answer.failure }
    return isOk(answer.result) ? undefined : { event, ...notOk }
  }

  return {
    toldOf: (changes: ReadonlyArray<LoggedChange>) => {
      for (const { change, id } of changes) events.set(id, change.event)
      if (events.size <= unansweredMax) return
      // To find the oldest passes over all that were answered before.
      for (const oldest of events.keys()) {
        if (events.size <= unansweredMax) return
        events.delete(oldest)
      }
    },
    /** Waits for the answer to a call that `send` sends. */
    answerTo: Effect.fnUntraced(function* (call: string, send: () => void) {
      const answer = yield* Deferred.make<Answer>()
      calls.set(call, answer)
      send()
      return yield* Effect.ensuring(
        Deferred.await(answer),
        Effect.sync(() => calls.delete(call))
      )
    }),
    /** Takes an answer. Tells of the event that it says has failed. */
    answered: (answer: Answer): FailedEvent | undefined => {
      const call = calls.get(answer.id)
      if (call === undefined) return failedBy(answer)
      Deferred.doneUnsafe(call, Effect.succeed(answer))
      return undefined
    }
  } as const
}
