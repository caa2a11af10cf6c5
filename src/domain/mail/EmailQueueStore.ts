/** What sending mails needs from storage: a queue that outlives the process. */
import { Context, type DateTime, type Effect, Layer, type Option, Queue } from "effect"
import type { EmailId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { TimeRange } from "../shared/TimeRange.ts"
import type { EmailQueueItem, EmailQueueStatus } from "./EmailQueueItem.ts"
import type { Attempt } from "./MailRules.ts"
import type { OutgoingMail } from "./MailTransport.ts"

/** A mail that one worker has taken. */
export interface TakenMail {
  readonly mail: OutgoingMail
  /** How often the mail was tried without anybody asking for it, this try included. */
  readonly tries: number
  /** The number of this attempt among all, from 1. Whoever took the mail has it until there is a later attempt. */
  readonly attempt: number
}

/** Mails on a page. */
export const pageSize = 50

export interface EmailFilter {
  /** A part of the address; if empty, mails to any address are listed. */
  readonly address: string
  /** The statuses of the listed mails; if empty, mails of any status are listed. */
  readonly statuses: ReadonlyArray<EmailQueueStatus>
  readonly range: TimeRange
}

export interface EmailPage extends ListExtent {
  readonly emails: ReadonlyArray<EmailQueueItem>
}

export class EmailQueueStore extends Context.Service<
  EmailQueueStore,
  {
    /**
     * Counts a mail to this recipient, and puts it in the queue. If there have been too many, for who asks or for
     * all, answers when the mail was queued that has to count no more before there can be another one.
     */
    readonly enqueue: (
      mail: OutgoingMail,
      recipient: { readonly key: string; readonly client: string },
      limit: { readonly each: number; readonly together: number; readonly since: DateTime.Utc }
    ) => Effect.Effect<Option.Option<DateTime.Utc>>
    /**
     * Takes what has been due for the longest time, and counts the try. Unless it is finished before, it is due
     * again at `until`: whoever took it may have ended.
     */
    readonly take: (at: DateTime.Utc, until: DateTime.Utc) => Effect.Effect<TakenMail | undefined>
    /** Notes how an attempt ended and when the next one is due, unless another one has begun since. */
    readonly finish: (
      taken: TakenMail,
      attempt: Attempt,
      dueAt: DateTime.Utc | undefined,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /** Puts one back that was not tried to the end, unless another attempt has begun since. */
    readonly giveBack: (taken: TakenMail, at: DateTime.Utc) => Effect.Effect<void>
    readonly find: (id: EmailId) => Effect.Effect<Option.Option<EmailQueueItem>>
    /** A page of mails, newest first. */
    readonly list: (filter: EmailFilter, place: ListPlace) => Effect.Effect<EmailPage>
    /** Lets a mail be tried that failed, with this many tries left; false if it did not fail. */
    readonly retry: (id: EmailId, triesLeft: number, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Removes mails that were queued before, if they do not wait to be sent: some, and answers whether there may be more. */
    readonly deleteOld: (queuedBefore: DateTime.Utc) => Effect.Effect<boolean>
    /** Forgets recipients who were sent no mail since. */
    readonly forgetRecipients: (since: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/EmailQueueStore") {}

/** Wakes this process's worker when there may be something to send. */
export class MailSignal extends Context.Service<MailSignal, Queue.Queue<void>>()("forum/domain/MailSignal") {
  // One waiting signal is as good as many.
  static readonly layer = Layer.effect(MailSignal, Queue.sliding<void>(1))
}
