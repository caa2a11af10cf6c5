/** What people may do with reports. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AccountStore } from "../account/AccountStore.ts"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { EventLog } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { AccountId, NodeId, PostId, ReportId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { pageEnvelope } from "../shared/Page.ts"
import { Transaction } from "../shared/Transaction.ts"
import {
  type NewReport,
  type Report,
  type ReportChanges,
  ReportHandlerUnknown,
  type ReportListResult,
  ReportNotFound
} from "./Report.ts"
import { decideUpdate, managesReports } from "./ReportRules.ts"
import { pageSize, type ReportFilter, ReportStore, type StoredReport } from "./ReportStore.ts"

const postKinds: ReadonlySet<Report["target_kind"]> = new Set(["post", "thread", "reply"])

const make = Effect.gen(function* () {
  const store = yield* ReportStore
  const accounts = yield* AccountStore
  const items = yield* DatagraphItems
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids

  const notFound = (id: string) => new ReportNotFound({ metadata: { report_id: id } })

  /** Reports with what they are about, as far as the caller may read that. */
  const shown = Effect.fnUntraced(function* (reports: ReadonlyArray<StoredReport>, actor: AccountActor) {
    const [postIds, nodeIds, profileIds] = [
      reports.flatMap((one) => (postKinds.has(one.target_kind) ? [PostId.make(one.target_id)] : [])),
      reports.flatMap((one) => (one.target_kind === "node" ? [NodeId.make(one.target_id)] : [])),
      reports.flatMap((one) => (one.target_kind === "profile" ? [AccountId.make(one.target_id)] : []))
    ]
    const [posts, nodes, profiles] = yield* Effect.all(
      [
        items.findPosts(postIds, actor),
        items.findNodes(nodeIds, actor),
        items.findProfiles([...new Set(profileIds)], actor)
      ],
      { concurrency: "unbounded" }
    )
    const itemOf = ({ target_id: id, target_kind: kind }: StoredReport): Report["item"] => {
      if (kind === "node") return nodes.get(NodeId.make(id))
      if (kind === "profile") return profiles.get(AccountId.make(id))
      return postKinds.has(kind) ? posts.get(PostId.make(id)) : undefined
    }
    return reports.map((report): Report => {
      const item = itemOf(report)
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
    const writes = Effect.andThen(
      store.insert(report),
      events.append(actor.accountId, { _tag: "ReportCreated", id, target, reported_by: actor.accountId })
    )
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
      const { handledBy, id, reportedBy, status, target } = found.value
      const change = yield* Effect.fromResult(decideUpdate(found.value, actor, changes))
      if (Object.keys(change).length === 0) return id
      yield* checkHandler(changes.handled_by)
      yield* store.update(id, change, yield* DateTime.now)
      const handler = change.handledBy ?? handledBy
      yield* events.append(actor.accountId, {
        _tag: "ReportUpdated",
        id,
        target,
        status: change.status ?? status,
        ...(reportedBy === undefined ? {} : { reported_by: reportedBy }),
        ...(handler === undefined ? {} : { handled_by: handler })
      })
      return id
    })
    return yield* get(yield* transaction(writes), actor)
  })

  /** All reports for those who manage them, the caller's own for others. */
  const list = Effect.fn("Reports.list")(function* (filter: Omit<ReportFilter, "reportedBy">, page: number) {
    const actor = yield* CurrentAccount
    const reportedBy = managesReports(actor) ? undefined : actor.accountId
    const { reports, total } = yield* store.list({ ...filter, reportedBy }, page)
    const envelope = pageEnvelope({ current: page, size: pageSize, total, results: reports.length })
    return { ...envelope, reports: yield* shown(reports, actor) } satisfies ReportListResult
  })

  return { create, update, list } as const
})

export class Reports extends Context.Service<Reports, Effect.Success<typeof make>>()("forum/domain/Reports") {
  static readonly layer = Layer.effect(Reports, make).pipe(Layer.provide(DatagraphItems.layer))
}
