import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Account, AccountNotFound, AdministratorProtected } from "../../domain/account/Account.ts"
import * as Text from "../../domain/field/Text.ts"
import {
  AuditEvent,
  AuditEventListResult,
  AuditEventNotFound,
  AuditEventType
} from "../../domain/moderation/AuditEvent.ts"
import { SuspensionOfSelf } from "../../domain/moderation/ModerationAction.ts"
import { LastAdministrator } from "../../domain/role/RoleRefusal.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { timeRangeQuery } from "../../domain/shared/TimeRange.ts"
import { membersWith } from "../contract/AccessPolicies.ts"
import { CacheControl } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

const account = { account_handle: Text.mark({ description: "The handle or the id of the account" }) }

const Changed = HttpApiSchema.WithHeaders(Account, { "cache-control": CacheControl })

export class ModerationApi extends HttpApiGroup.make("moderation")
  .add(
    HttpApiEndpoint.post("suspend", "/bans/:account_handle", {
      params: account,
      success: Changed,
      error: [AccountNotFound, AdministratorProtected, SuspensionOfSelf, LastAdministrator, Forbidden]
    }).pipe(
      operation({
        id: "AdminAccountBanCreate",
        cost: "write",
        summary: "Suspend an account",
        description:
          "From its next request on, whatever its credential, the account can only sign out. What it wrote stays. Suspending it again renews the time. Administrators are suspended by administrators only, and the last one by nobody.",
        access: membersWith("MANAGE_SUSPENSIONS")
      })
    ),
    HttpApiEndpoint.delete("reinstate", "/bans/:account_handle", {
      params: account,
      success: Changed,
      error: [AccountNotFound, AdministratorProtected, Forbidden]
    }).pipe(
      operation({
        id: "AdminAccountBanRemove",
        cost: "write",
        summary: "Reinstate an account",
        description: "The account can sign in again, and its sessions and keys are good again.",
        access: membersWith("MANAGE_SUSPENSIONS")
      })
    ),
    HttpApiEndpoint.get("listAudit", "/audit-events", {
      query: {
        ...pagedQuery,
        types: Schema.optionalKey(
          Schema.Array(AuditEventType)
            .check(Schema.isMaxLength(100))
            .annotate({ description: "Entries of any of these types" })
        ),
        range: Schema.optionalKey(timeRangeQuery("When it was done."))
      },
      success: AuditEventListResult,
      error: CursorMismatch
    }).pipe(
      operation({
        id: "AuditEventList",
        cost: "quick",
        heavyWith: "range",
        summary: "List the audit log",
        description: "What moderators and administrators did, and all deletions; newest first, 50 on a page.",
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.get("getAudit", "/audit-events/:audit_event_id", {
      params: { audit_event_id: Text.mark({ description: "The id of the entry" }) },
      success: AuditEvent,
      error: AuditEventNotFound
    }).pipe(
      operation({
        id: "AuditEventGet",
        cost: "quick",
        summary: "Read an entry of the audit log",
        description: "With every field that the list shows.",
        access: membersWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/admin")
  .annotateMerge(
    OpenApi.annotations({ title: "moderation", description: "Suspending accounts, and the audit log" })
  ) {}
