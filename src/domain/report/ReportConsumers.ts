/** What follows from reports, and from what the service reports itself. */
import { DateTime, Effect, Option } from "effect"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import { EventLog } from "../event/EventLog.ts"
import { ReportCreated, ReportUpdated } from "../event/ReportEvents.ts"
import { PostHeldForReview } from "../event/ThreadEvents.ts"
import type { NotificationEvent } from "../notification/Notification.ts"
import { type NewNotification, NotificationStore } from "../notification/NotificationStore.ts"
import { type AccountId, NotificationId, ReportId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { decideShown, type Reported, type ReportManager, type ShownItem } from "./ReportAudience.ts"
import { repeatsOf } from "./ReportRules.ts"
import { ReportStore, targetKey } from "./ReportStore.ts"

interface Told {
  readonly accountId: AccountId
  readonly event: NotificationEvent
  /** The account whose action it was; absent where staff stay anonymous, and for what the service reported. */
  readonly sourceId: AccountId | undefined
  readonly item: ShownItem
}

/** Who is told of what happened to a report. Staff are told once of what the same account says again. */
export const decideTold = (
  event: ReportCreated | ReportUpdated,
  actorId: AccountId | undefined,
  managers: ReadonlyArray<ReportManager>,
  reported: Reported | undefined
): ReadonlyArray<Told> => {
  const { repeats = false, reported_by: reporter } = event
  const staff = repeats ? [] : managers
  if (event._tag === "ReportCreated") {
    return staff.map((manager) => ({
      accountId: manager.accountId,
      event: "report_submitted",
      sourceId: reporter,
      item: decideShown(reported, manager)
    }))
  }
  const updated = { event: "report_updated", item: {} } as const
  if (reporter === undefined) return []
  return actorId === reporter
    ? staff.map(({ accountId }) => ({ ...updated, accountId, sourceId: reporter }))
    : [{ ...updated, accountId: reporter, sourceId: undefined }]
}

/** Tells those who manage reports of new ones, and those who made them of what becomes of them. */
const makeNotifications = Effect.gen(function* () {
  const reports = yield* ReportStore
  const notifications = yield* NotificationStore
  const ids = yield* Ids

  return makeConsumer({
    name: "report notifications",
    reads: [ReportCreated, ReportUpdated],
    handle: Effect.fn("ReportConsumers.tell")(function* (events) {
      const managers = yield* reports.managers
      const found = yield* reports.findReported(
        events.flatMap(({ event }) => (event._tag === "ReportCreated" ? [event.target] : []))
      )
      const due: Array<NewNotification> = []
      for (const { actorId, event, id: causeId, occurredAt } of events) {
        const reported = found.get(targetKey(event.target))
        for (const { accountId, item, sourceId, event: what } of decideTold(
          event,
          actorId,
          managers,
          reported
        )) {
          due.push({
            id: NotificationId.make(yield* ids.next),
            at: occurredAt,
            accountId,
            event: what,
            ...(sourceId === undefined ? {} : { sourceId }),
            ...item,
            causeId
          })
        }
      }
      yield* notifications.insert(due)
    })
  })
})

/** Why the service reports a post. */
export const commentOn = ({ reason, word }: PostHeldForReview): string =>
  reason === "word"
    ? `The text contains a word of the list of words to report: ${word ?? ""}`.trim()
    : "The text says the same over and over."

/** Reports what moderation has held for review. */
const makeHeldPosts = Effect.gen(function* () {
  const reports = yield* ReportStore
  const log = yield* EventLog
  const ids = yield* Ids

  return makeConsumer({
    name: "reports of held posts",
    reads: [PostHeldForReview],
    handle: Effect.fn("ReportConsumers.hold")(function* (events) {
      for (const { event, id: causeId } of events) {
        const { reply_id, thread_id } = event
        const target =
          reply_id === undefined
            ? ({ kind: "thread", id: thread_id } as const)
            : ({ kind: "reply", id: reply_id } as const)
        const id = ReportId.make(yield* ids.next)
        const at = yield* DateTime.now
        const comment = commentOn(event)
        const inserted = yield* reports
          .insert({ id, at, target, reportedBy: undefined, comment, causeId })
          .pipe(
            // Those are about accounts.
            Effect.catch(Effect.die)
          )
        if (Option.isSome(inserted)) {
          yield* log.append(undefined, { _tag: "ReportCreated", id, target, ...repeatsOf(inserted.value) })
        }
      }
    })
  })
})

export const make: Effect.Effect<
  ReadonlyArray<EventConsumer>,
  never,
  ReportStore | NotificationStore | EventLog | Ids
> = Effect.all([makeNotifications, makeHeldPosts])
