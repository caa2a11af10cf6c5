/** What the rules of reports need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { DatagraphItemKind } from "../search/Search.ts"
import type { AccountId, ReportId } from "../shared/Id.ts"
import type { Report, TooManyReports } from "./Report.ts"
import type { ReportUpdate } from "./ReportRules.ts"
import type { ReportStatus } from "./ReportTarget.ts"

export interface ReportInsert {
  readonly id: ReportId
  readonly at: DateTime.Utc
  readonly target: { readonly kind: DatagraphItemKind; readonly id: string }
  /** Nobody, if the service reports it. */
  readonly reportedBy: AccountId | undefined
  readonly comment: string | undefined
  /** The event in the log that the service reports it for. */
  readonly causeId?: bigint
}

/** What the rules know of a report. */
export interface ReportState {
  readonly id: ReportId
  readonly target: ReportInsert["target"]
  readonly reportedBy: AccountId | undefined
  readonly handledBy: AccountId | undefined
  readonly status: ReportStatus
}

export interface ReportFilter {
  /** Of anyone if absent. */
  readonly reportedBy: AccountId | undefined
  readonly status: ReportStatus | undefined
  readonly kind: DatagraphItemKind | undefined
}

/** A report without what is reported. */
export type StoredReport = Omit<Report, "item">

export interface ReportPage {
  /** Reports on all pages. */
  readonly total: number
  readonly reports: ReadonlyArray<StoredReport>
}

/** Reports on a page. */
export const pageSize = 10

/** Accounts that are told of one report, at most. */
export const managersMax = 1000

export class ReportStore extends Context.Service<
  ReportStore,
  {
    /** False if the service has reported it for this event already. */
    readonly insert: (report: ReportInsert) => Effect.Effect<boolean, TooManyReports>
    readonly find: (id: ReportId) => Effect.Effect<Option.Option<StoredReport>>
    /** Locked until the transaction ends. */
    readonly findForUpdate: (id: string) => Effect.Effect<Option.Option<ReportState>>
    readonly update: (id: ReportId, changes: ReportUpdate, at: DateTime.Utc) => Effect.Effect<void>
    /** Last changed first. */
    readonly list: (filter: ReportFilter, page: number) => Effect.Effect<ReportPage>
    /** Those who manage reports and are not suspended, oldest accounts first. */
    readonly managers: Effect.Effect<ReadonlyArray<AccountId>>
  }
>()("forum/domain/ReportStore") {}
