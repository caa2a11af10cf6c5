/** The mails that the service sends, as administrators see them: never what is in them. */
import { Schema } from "effect"
import { onePage, withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import { EmailId } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { sentMail } from "./MailExamples.ts"

/** A mail that was sent at the first attempt. */
export const EmailQueueStatus = Schema.Literals(["pending", "processing", "sent", "failed"]).annotate({
  identifier: "EmailQueueStatus",
  description: "How far a mail has come"
})
export type EmailQueueStatus = typeof EmailQueueStatus.Type

export const EmailQueueAttemptStatus = Schema.Literals(["sent", "failed"]).annotate({
  identifier: "EmailQueueAttemptStatus",
  description: "Whether the mail server took the mail"
})
export type EmailQueueAttemptStatus = typeof EmailQueueAttemptStatus.Type

export const EmailQueueAttempt = Schema.Struct({
  timestamp: Timestamp.annotateKey({ description: "When it ended" }),
  status: EmailQueueAttemptStatus,
  error: Schema.optionalKey(Schema.String).annotateKey({ description: "Why the mail was not sent" })
}).annotate({ identifier: "EmailQueueAttempt", description: "An attempt to send a mail" })
export interface EmailQueueAttempt extends Schema.Schema.Type<typeof EmailQueueAttempt> {}

export const EmailQueueItem = Schema.Struct({
  id: EmailId,
  queued_at: Timestamp,
  updated_at: Timestamp,
  processed_at: Schema.optionalKey(Timestamp).annotateKey({ description: "When it was sent" }),
  status: EmailQueueStatus,
  recipient_address: Schema.String.annotate({ format: "email" }),
  recipient_name: Schema.String,
  subject: Schema.String,
  attempts: Schema.Array(EmailQueueAttempt).annotate({ description: "The last 20, oldest first" })
})
  .annotate({ identifier: "EmailQueueItem", description: "A mail that is to be sent, or was" })
  .pipe(withExample(sentMail))
export interface EmailQueueItem extends Schema.Schema.Type<typeof EmailQueueItem> {}

export const EmailQueueListResult = Schema.Struct({ ...PageFields, emails: Schema.Array(EmailQueueItem) })
  .annotate({ identifier: "EmailQueueListResult", description: "A page of mails, newest first" })
  .pipe(withExample({ ...onePage, emails: [sentMail] }))
export interface EmailQueueListResult extends Schema.Schema.Type<typeof EmailQueueListResult> {}

export class EmailNotFound extends Problem<EmailNotFound>()("EmailNotFound", {
  status: 404,
  title: "There is no such mail",
  explanation: "No mail in the queue has this id. Mails are removed from it after 30 days.",
  metadata: { email_id: Schema.String }
}) {}

export class EmailNotFailed extends Problem<EmailNotFailed>()("EmailNotFailed", {
  status: 400,
  title: "Only a mail that could not be sent can be tried again",
  explanation:
    "The status of the mail is not `failed`: it waits to be sent, is being sent, or was sent already.",
  metadata: { email_id: Schema.String, status: EmailQueueStatus }
}) {}
