import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import {
  EmailNotFailed,
  EmailNotFound,
  EmailQueueItem,
  EmailQueueListResult,
  EmailQueueStatus
} from "../../domain/mail/EmailQueueItem.ts"
import { EmailId } from "../../domain/shared/Id.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { timeRangeQuery } from "../../domain/shared/TimeRange.ts"
import { membersWith } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

export class MailApi extends HttpApiGroup.make("mail")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...pagedQuery,
        q: Schema.optionalKey(
          Text.term({ max: 255, description: "Part of the address. Letter case does not matter." })
        ),
        statuses: Schema.optionalKey(
          Schema.Array(EmailQueueStatus)
            .check(Schema.isMaxLength(100))
            .annotate({ description: "Mails of any of these statuses" })
        ),
        range: Schema.optionalKey(timeRangeQuery("When the mail was queued."))
      },
      success: EmailQueueListResult,
      error: CursorMismatch
    }).pipe(
      operation({
        id: "EmailQueueList",
        cost: "quick",
        heavyWith: ["q", "range"],
        summary: "List the mails that the service sends",
        description:
          "Mails that wait to be sent, and those of the last 30 days; newest first, 50 on a page. What is in them is never shown.",
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.post("retry", "/:email_id/attempt", {
      params: { email_id: EmailId.annotate({ description: "The id of the mail" }) },
      success: EmailQueueItem,
      error: [EmailNotFound, EmailNotFailed]
    }).pipe(
      operation({
        id: "EmailQueueRetry",
        cost: "write",
        summary: "Try again to send a mail",
        description:
          "A mail that could not be sent is tried five more times by itself, a minute apart, and then only by this.",
        access: membersWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/admin/email-queue")
  .annotateMerge(OpenApi.annotations({ title: "mail", description: "The mails that the service sends" })) {}
