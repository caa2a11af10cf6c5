/** Who may do what with reports (identity contract 15). Pure. */
import { Result } from "effect"
import { type AccountActor, holds } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { type ReportChanges, ReportNotYours } from "./Report.ts"
import type { ReportStatus } from "./ReportTarget.ts"

export const managesReports = (actor: AccountActor): boolean => holds(actor, "MANAGE_REPORTS")

/** What becomes of a report; absent keys stay as they are. */
export interface ReportUpdate {
  readonly status?: ReportStatus
  readonly handledBy?: AccountId
}

/** What a request changes of a report, if its caller may. */
export const decideUpdate = (
  report: { readonly reportedBy: AccountId | undefined },
  actor: AccountActor,
  { handled_by: handledBy, status }: ReportChanges
): Result.Result<ReportUpdate, ReportNotYours> => {
  if (managesReports(actor)) {
    const handler = handledBy ?? (status === undefined ? undefined : actor.accountId)
    return Result.succeed({
      ...(status === undefined ? {} : { status }),
      ...(handler === undefined ? {} : { handledBy: handler })
    })
  }
  const mayResolve = report.reportedBy === actor.accountId && (status ?? "resolved") === "resolved"
  return mayResolve && handledBy === undefined
    ? Result.succeed({ status: "resolved" })
    : Result.fail(new ReportNotYours())
}
