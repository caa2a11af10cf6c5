/** What people may do with reports. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AccountStore } from "../account/AccountStore.ts"
import { firstFitting } from "../answer/AnswerRoom.ts"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { EventLog } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { type AccountId, ReportId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { Transaction } from "../storage/Transaction.ts"
import {
  type NewReport,
  type Report,
  type ReportChanges,
  ReportHandlerUnknown,
  type ReportListResult,
  ReportNotFound
} from "./Report.ts"
import { decideUpdate, managesReports, repeatsOf } from "./ReportRules.ts"
import { pageSize, type ReportFilter, ReportStore, type StoredReport } from "./ReportStore.ts"
import { itemOf } from "./ReportTarget.ts"

const make = Effect.gen(function* () {
  const store = yield* ReportStore
  const accounts = yield* AccountStore
  const datagraph = yield* DatagraphItems
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids

  const notFound = (id: string) => new ReportNotFound({ metadata: { report_id: id } })

  /** Reports with what they are about, as far as the caller may read that. */
  const shown = Effect.fnUntraced(function* (stored: ReadonlyArray<StoredReport>, actor: AccountActor) {
    const fitting = firstFitting(stored, ({ itemSize }) => itemSize)
    const items = yield* datagraph.findItems(
      fitting.flatMap((report) => itemOf(report) ?? []),
      actor
    )
    return stored.map(({ itemSize, ...report }, place): Report => {
      if (place >= fitting.length && itemSize > 0) return { ...report, misc: { omitted: ["item"] } }
      const item = items.get(report.target_id)
      return item === undefined ? report : { ...report, item }
    })
  })

  const get = Effect.fnUntraced(function* (id: ReportId, actor: AccountActor) {
    const found = yield* store.find(id)
    const [report] = Option.isSome(found) ? yield* shown([found.value], actor) : []
    return report ?? (yield* notFound(id))
  })

  const create = Effect.fn("Reports.create")(function* (input: NewReport) {
    const actor = yield* CurrentAccount
    const id = ReportId.make(yield* ids.next)
    const target = { kind: input.target_kind, id: input.target_id }
    const comment = input.comment?.trim() === "" ? undefined : input.comment
    const report = { id, at: yield* DateTime.now, target, reportedBy: actor.accountId, comment }
    const writes = Effect.gen(function* () {
      const inserted = yield* store.insert(report)
      if (Option.isNone(inserted)) return
      yield* events.append(actor.accountId, {
        _tag: "ReportCreated",
        id,
        target,
        reported_by: actor.accountId,
        ...repeatsOf(inserted.value)
      })
    })
    yield* transaction(writes)
    return yield* get(id, actor)
  })

  const checkHandler = Effect.fnUntraced(function* (id: AccountId | undefined) {
    if (id === undefined || Option.isSome(yield* accounts.find(id))) return
    return yield* new ReportHandlerUnknown({ metadata: { handled_by: id } })
  })

  const update = Effect.fn("Reports.update")(function* (mark: string, changes: ReportChanges) {
    const actor = yield* CurrentAccount
    const writes = Effect.gen(function* () {
      const found = yield* store.findForUpdate(mark)
      if (Option.isNone(found)) return yield* notFound(mark)
      const { handledBy, id, repeats, reportedBy, status, target } = found.value
      const change = yield* Effect.fromResult(decideUpdate(found.value, actor, changes))
      yield* checkHandler(changes.handled_by)
      if (Object.keys(change).length === 0) return id
      yield* store.update(id, change, yield* DateTime.now)
      const handler = change.handledBy ?? handledBy
      yield* events.append(actor.accountId, {
        _tag: "ReportUpdated",
        id,
        target,
        status: change.status ?? status,
        ...repeatsOf({ repeats }),
        ...(reportedBy === undefined ? {} : { reported_by: reportedBy }),
        ...(handler === undefined ? {} : { handled_by: handler })
      })
      return id
    })
    return yield* get(yield* transaction(writes), actor)
  })

  /** All reports for those who manage them, the caller's own for others. */
  const list = Effect.fn("Reports.list")(function* (
    filter: Omit<ReportFilter, "reportedBy">,
    place: ListPlace
  ) {
    const actor = yield* CurrentAccount
    const reportedBy = managesReports(actor) ? undefined : actor.accountId
    const { reports, ...extent } = yield* store.list({ ...filter, reportedBy }, place)
    const envelope = listEnvelope({ ...extent, place, size: pageSize, results: reports.length })
    return { ...envelope, reports: yield* shown(reports, actor) } satisfies ReportListResult
  })

  return { create, update, list } as const
})

export class Reports extends Context.Service<Reports, Effect.Success<typeof make>>()("forum/domain/Reports") {
  static readonly layer = Layer.effect(Reports, make).pipe(Layer.provide(DatagraphItems.layer))
}
