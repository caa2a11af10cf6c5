/** Where mails are left to be sent. */
import { Context, type Effect, Schema } from "effect"
import type { Client } from "../shared/Client.ts"
import { Problem } from "../shared/Problem.ts"

export interface Mail {
  /** The address of the recipient, in lower case. */
  readonly address: string
  /** The display name of the account; shown neutralised. */
  readonly name: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export class MailLimitReached extends Problem<MailLimitReached>()("MailLimitReached", {
  status: 403,
  title: "This address has been sent too many mails; try again in an hour",
  explanation:
    "An address is sent twenty mails an hour at most. Of these, five are for a network from which somebody has signed in to the account within ninety days, and five for all others together. Nothing was changed. `retry_after` says in how many seconds there may be another one.",
  metadata: { retry_after: Schema.Int }
}) {}

export class MailDisabled extends Problem<MailDisabled>()("MailDisabled", {
  status: 403,
  title: "This instance sends no mail",
  explanation: "What needs mail is available where the operator has set a mail server."
}) {}

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Whether mail can be sent: the operator has set a mail server. */
    readonly enabled: boolean
    /**
     * Leaves a mail to be sent once the running transaction has committed. It is kept until it was sent, over
     * restarts as well; if the transaction fails, there never was a mail. It takes one of the places of who asks
     * for it.
     */
    readonly enqueue: (mail: Mail, client: Client) => Effect.Effect<void, MailLimitReached>
  }
>()("forum/domain/Outbox") {}
