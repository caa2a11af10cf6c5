/** What the rules of reports need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, ReportId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { DatagraphItemKind } from "../vocabulary/Kinds.ts"
import type { ReportStatus } from "../vocabulary/ReportStatus.ts"
import type { Report, TooManyReports, TooManyReportsOfTarget } from "./Report.ts"
import type { Reported, ReportManager } from "./ReportAudience.ts"
import type { ReportStanding, ReportUpdate } from "./ReportRules.ts"
import { itemKindOf } from "./ReportTarget.ts"

export interface ReportInsert {
  readonly id: ReportId
  readonly at: DateTime.Utc
  readonly target: { readonly kind: DatagraphItemKind; readonly id: string }
  /** Who reports it; absent if the service does. */
  readonly reportedBy: AccountId | undefined
  readonly comment: string | undefined
  /** The event in the log that the service reports it for. */
  readonly causeId?: bigint
}

export interface InsertedReport {
  /** Whether a report of the same account about the same thing was open already: staff know of it. */
  readonly repeats: boolean
}

/** Names what is reported: an id may be one of several kinds. */
export const targetKey = ({ id, kind }: ReportInsert["target"]): string => `${itemKindOf(kind)} ${id}`

/** A report that is locked until the transaction ends. */
export interface ReportState extends ReportStanding {
  readonly id: ReportId
  readonly target: ReportInsert["target"]
  readonly repeats: boolean
}

export interface ReportFilter {
  /** Who made the listed reports; if absent, reports of anyone are listed. */
  readonly reportedBy: AccountId | undefined
  readonly status: ReportStatus | undefined
  readonly kind: DatagraphItemKind | undefined
}

/** A report without what is reported. */
export interface StoredReport extends Omit<Report, "item"> {
  /** About how many bytes of an answer the reported item takes. */
  readonly itemSize: number
}

export interface ReportPage extends ListExtent {
  readonly reports: ReadonlyArray<StoredReport>
}

/** Reports on a page. */
export const pageSize = 10

/** Accounts that are told of one report, at most. */
export const managersMax = 1000

export class ReportStore extends Context.Service<
  ReportStore,
  {
    /** Stores a report. None if the service has reported the item for this event already, or often enough. */
    readonly insert: (
      report: ReportInsert
    ) => Effect.Effect<Option.Option<InsertedReport>, TooManyReports | TooManyReportsOfTarget>
    readonly find: (id: ReportId) => Effect.Effect<Option.Option<StoredReport>>
    /** The report, which is locked until the transaction ends. */
    readonly findForUpdate: (id: string) => Effect.Effect<Option.Option<ReportState>>
    readonly update: (id: ReportId, changes: ReportUpdate, at: DateTime.Utc) => Effect.Effect<void>
    /** A page of reports, last changed first. */
    readonly list: (filter: ReportFilter, place: ListPlace) => Effect.Effect<ReportPage>
    /** The accounts that manage reports and are not suspended, oldest accounts first. */
    readonly managers: Effect.Effect<ReadonlyArray<ReportManager>>
    /** What these reports are about, by `targetKey`, whether or not the caller may read it; what was deleted is left out. */
    readonly findReported: (
      targets: ReadonlyArray<ReportInsert["target"]>
    ) => Effect.Effect<ReadonlyMap<string, Reported>>
  }
>()("forum/domain/ReportStore") {}
