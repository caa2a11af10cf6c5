import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccountNotFound } from "../../domain/account/Account.ts"
import { AuditEventProps, ModerationAction } from "../../domain/moderation/ModerationAction.ts"
import { membersWith } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

export class ModerationActionsApi extends HttpApiGroup.make("moderationActions")
  .add(
    HttpApiEndpoint.post("create", "/", {
      payload: ModerationAction,
      success: AuditEventProps.pipe(HttpApiSchema.status(201)),
      error: AccountNotFound
    }).pipe(
      operation({
        id: "ModerationActionCreate",
        cost: "write",
        summary: "Remove what an account made",
        description:
          "Removes what the account has made until now, as if it had removed each by itself: replies of others to its replies stay, pages inside its pages move to the top level. The answer comes when all of it is gone, or after two seconds; then the service goes on by itself until all of it is gone. It is the entry in the audit log.",
        access: membersWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/admin/actions")
  .annotateMerge(
    OpenApi.annotations({
      title: "moderation actions",
      description: "What administrators do at once with all that an account made"
    })
  ) {}
