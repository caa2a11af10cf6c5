import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AssetBytesUnavailable } from "../../domain/asset/Asset.ts"
import { SignInNotRecent } from "../../domain/authentication/OwnerProof.ts"
import {
  AuthenticationBusy,
  PasswordNotSet,
  PasswordWrong,
  TooManyAttempts
} from "../../domain/authentication/Password.ts"
import {
  AskedOwnData,
  dailyMax,
  OwnDataExport,
  OwnDataNotFound,
  OwnDataNotReady,
  OwnDataRunning,
  TooManyOwnData
} from "../../domain/owndata/OwnData.ts"
import { accountsByCookie } from "../contract/AccessPolicies.ts"
import { CacheControl } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

export const archiveType = "application/zip"

const Archive = HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: archiveType }), {
  "cache-control": CacheControl,
  "content-disposition": Schema.String.annotate({
    title: "Content-Disposition",
    description: "To be saved, under a name"
  })
})

export class OwnDataApi extends HttpApiGroup.make("ownData")
  .add(
    HttpApiEndpoint.post("request", "/", {
      payload: AskedOwnData,
      success: OwnDataExport,
      error: [
        SignInNotRecent,
        PasswordNotSet,
        PasswordWrong,
        TooManyAttempts,
        AuthenticationBusy,
        OwnDataRunning,
        TooManyOwnData
      ]
    }).pipe(
      operation({
        id: "AccountExportRequest",
        cost: "hashing",
        summary: "Ask for your own data",
        description: `An archive is made of what you made and what is about you: a zip in the format of exports, with your files. You are notified when it can be downloaded; then it is kept for seven days, or until you ask again. You can ask ${dailyMax} times on one day (UTC).`,
        access: accountsByCookie
      })
    ),
    HttpApiEndpoint.get("get", "/", { success: OwnDataExport, error: OwnDataNotFound }).pipe(
      operation({
        id: "AccountExportGet",
        cost: "quick",
        summary: "See how far your own data is",
        description: "Not found, unless you have asked for it, and once the archive is not kept any more.",
        access: accountsByCookie
      })
    ),
    HttpApiEndpoint.get("download", "/archive", {
      success: Archive,
      error: [OwnDataNotFound, OwnDataNotReady, SignInNotRecent, AssetBytesUnavailable]
    }).pipe(
      operation({
        id: "AccountExportDownload",
        cost: "quick",
        answersTypes: [archiveType],
        summary: "Download your own data",
        description:
          "For the session that asked for it, and for others within ten minutes after they began. Nobody else can read it, whatever they know and may do.",
        access: accountsByCookie
      })
    )
  )
  .prefix("/accounts/self/export")
  .annotateMerge(
    OpenApi.annotations({
      title: "your own data",
      description: "Getting all that you made and what is about you"
    })
  ) {}
