/** Who may do what with reports. Pure. */
import { Result } from "effect"
import { type AccountActor, holds } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import type { ReportStatus } from "../vocabulary/ReportStatus.ts"
import { type ReportChanges, ReportNotYours } from "./Report.ts"

export const managesReports = (actor: AccountActor): boolean => holds(actor, "MANAGE_REPORTS")

/** What is different about a report afterwards; absent keys stay as they are. */
export interface ReportUpdate {
  readonly status?: ReportStatus
  readonly handledBy?: AccountId
}

/** What the rules know of a report. */
export interface ReportStanding {
  readonly reportedBy: AccountId | undefined
  readonly handledBy: AccountId | undefined
  readonly status: ReportStatus
}

/** What is different from what it was: nobody is told again of what they know. */
const differences = (
  before: ReportStanding,
  status: ReportStatus | undefined,
  handledBy: AccountId | undefined
): ReportUpdate => ({
  ...(status === undefined || status === before.status ? {} : { status }),
  ...(handledBy === undefined || handledBy === before.handledBy ? {} : { handledBy })
})

/** What a request changes of a report, if its caller may. */
export const decideUpdate = (
  report: ReportStanding,
  actor: AccountActor,
  { handled_by: handledBy, status }: ReportChanges
): Result.Result<ReportUpdate, ReportNotYours> => {
  if (managesReports(actor)) {
    const handler = handledBy ?? (status === undefined ? undefined : actor.accountId)
    return Result.succeed(differences(report, status, handler))
  }
  const mayResolve = report.reportedBy === actor.accountId && (status ?? "resolved") === "resolved"
  return mayResolve && handledBy === undefined
    ? Result.succeed(differences(report, "resolved", undefined))
    : Result.fail(new ReportNotYours())
}

/** What the event of a report says if the report repeats an open one: the key is absent if it does not. */
export const repeatsOf = ({ repeats }: { readonly repeats: boolean }): { readonly repeats?: true } =>
  repeats ? { repeats } : {}
