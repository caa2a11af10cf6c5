/** Own data: an archive of what an account made and what is about it. */
import { Duration, Schema } from "effect"
import { ownPassword } from "../authentication/OwnerProof.ts"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import { Problem } from "../shared/Problem.ts"
import { askedOwnData, ownDataExport } from "./OwnDataExamples.ts"

/** How long an archive is kept. */
export const keptFor = Duration.days(7)

/** How often an account gets its own data on one day, in UTC: making it reads everything that the account made. */
export const dailyMax = 3

/** Where the archive is, below the address of the service. */
export const archivePath = "/api/accounts/self/export/archive"

export const AskedOwnData = Schema.Struct({ password: ownPassword })
  .annotate({
    identifier: "AccountExportInitialProps",
    description: "That an account wants its own data"
  })
  .pipe(withExample(askedOwnData))
export interface AskedOwnData extends Schema.Schema.Type<typeof AskedOwnData> {}

export const OwnDataState = Schema.Literals(["waiting", "ready", "failed"]).annotate({
  identifier: "AccountExportState",
  description:
    "`waiting` until the archive is made; `failed` where it could not be made several times, so that it has to be asked for again"
})
export type OwnDataState = typeof OwnDataState.Type

export const OwnDataExport = Schema.Struct({
  state: OwnDataState,
  requested_at: Timestamp.annotateKey({ description: "When it was asked for" }),
  made_at: Schema.optionalKey(Timestamp).annotateKey({ description: "Since when the archive is there" }),
  expires_at: Schema.optionalKey(Timestamp).annotateKey({
    description: "Until when it is kept; absent as long as it waits"
  }),
  size: Schema.optionalKey(Schema.Int.annotate({ description: "The length of the archive in bytes" })),
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "The path of the archive, once it is there" })
  )
})
  .annotate({ identifier: "AccountExport", description: "How far the own data of an account is" })
  .pipe(withExample(ownDataExport))
export interface OwnDataExport extends Schema.Schema.Type<typeof OwnDataExport> {}

export class OwnDataNotFound extends Problem<OwnDataNotFound>()("OwnDataNotFound", {
  status: 404,
  title: "Your data was not asked for",
  explanation:
    "Nobody has asked for the data of this account, or it was too long ago: archives are kept for seven days."
}) {}

export class OwnDataRunning extends Problem<OwnDataRunning>()("OwnDataRunning", {
  status: 409,
  title: "Your data is being collected",
  explanation:
    "It was asked for already, and the archive is being made. You are notified when it can be downloaded."
}) {}

export class OwnDataNotReady extends Problem<OwnDataNotReady>()("OwnDataNotReady", {
  status: 409,
  title: "There is no archive of your data yet",
  explanation:
    "It is being made, or could not be made: `GET /accounts/self/export` says which. You are notified when it can be downloaded."
}) {}

export class TooManyOwnData extends Problem<TooManyOwnData>()("TooManyOwnData", {
  status: 429,
  title: "Your data was collected often enough today",
  explanation: `An account gets its own data ${dailyMax} times on one day (UTC). Repeat the request after the seconds in \`Retry-After\`.`,
  metadata: { maximum: Schema.Int, retry_after: Schema.Int }
}) {}
