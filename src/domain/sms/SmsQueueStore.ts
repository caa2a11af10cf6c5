/** What sending text messages needs from storage: a queue that outlives the process. */
import { Context, type DateTime, type Effect, Layer, type Option, Queue } from "effect"
import type { TextMessage } from "./TextMessages.ts"

/** A message that one worker has taken. */
export interface TakenText {
  readonly message: TextMessage
  readonly validUntil: DateTime.Utc
  /** How often it was tried, this try included. Whoever took it has it until there is a later try. */
  readonly tries: number
}

export class SmsQueueStore extends Context.Service<
  SmsQueueStore,
  {
    /**
     * Counts a message by this name. If there have been too many since, answers when the one was queued that has to
     * count no more before there can be another.
     */
    readonly count: (
      name: string,
      limit: number,
      since: DateTime.Utc,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<DateTime.Utc>>
    readonly enqueue: (
      message: TextMessage,
      validUntil: DateTime.Utc,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /**
     * Takes what has been due for the longest time, and counts the try. Unless it is finished before, it is due
     * again at `until`: whoever took it may have ended.
     */
    readonly take: (at: DateTime.Utc, until: DateTime.Utc) => Effect.Effect<TakenText | undefined>
    /** Removes a message that was sent or is given up, or says when it is due again, unless another try has begun since. */
    readonly finish: (taken: TakenText, dueAt: DateTime.Utc | undefined) => Effect.Effect<void>
    /** Puts one back that was not tried to the end, unless another try has begun since. */
    readonly giveBack: (taken: TakenText, at: DateTime.Utc) => Effect.Effect<void>
    /** Forgets what was counted before, and messages that were of no use any more before. */
    readonly deleteOld: (countedBefore: DateTime.Utc, validBefore: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/SmsQueueStore") {}

/** Wakes this process's worker when there may be something to send. */
export class SmsSignal extends Context.Service<SmsSignal, Queue.Queue<void>>()("forum/domain/SmsSignal") {
  // One waiting signal is as good as many.
  static readonly layer = Layer.effect(SmsSignal, Queue.sliding<void>(1))
}
