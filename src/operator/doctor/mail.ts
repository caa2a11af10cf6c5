/** Checks whether mails can be sent. */
import { Effect } from "effect"
import { MailTransport } from "../../domain/mail/MailTransport.ts"
import { fail, ok } from "./Finding.ts"

/** Connects to the mail server and signs in; sends nothing. */
export const mailFinding = Effect.gen(function* () {
  const transport = yield* MailTransport
  if (transport === undefined) return ok("mail", "No server is set, so that none is sent")
  return yield* transport.check.pipe(
    Effect.as(ok("mail", "The server answers")),
    Effect.catchTag("MailFailed", ({ reason }) =>
      Effect.succeed(
        fail(
          "mail",
          `The server does not answer as it should: ${reason}`,
          "Correct SMTP_URL. Until then nobody gets codes and links."
        )
      )
    )
  )
})
