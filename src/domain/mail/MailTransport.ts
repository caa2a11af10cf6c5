/** Hands mails over to the mail server that the operator has set. */
import { Context, Data, type DateTime, type Effect } from "effect"
import type { EmailId } from "../shared/Id.ts"
import type { Mail } from "./Outbox.ts"

/** A mail as it goes out: what is in its headers has been made harmless. */
export interface OutgoingMail extends Mail {
  /** The id of the mail: each attempt has the same one, so that who receives the mail twice can tell. */
  readonly id: EmailId
  readonly queuedAt: DateTime.Utc
}

/** The server did not take it. The reason is for administrators. */
export class MailFailed extends Data.TaggedError("MailFailed")<{ readonly reason: string }> {}

/** Hands mails over to the mail server; undefined where the operator has set none. */
export class MailTransport extends Context.Service<
  MailTransport,
  | {
      readonly send: (mail: OutgoingMail) => Effect.Effect<void, MailFailed>
      /** Speaks to the server as for a mail, and sends none. */
      readonly check: Effect.Effect<void, MailFailed>
    }
  | undefined
>()("forum/domain/MailTransport") {}
