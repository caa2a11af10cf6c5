/** Webhooks: addresses to which the service delivers what happens. */
import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { changeNames } from "../change/Changes.ts"
import { onePage, withExample } from "../field/Example.ts"
import { resourceFields, Timestamp } from "../field/Resource.ts"
import { secretText } from "../field/SecretText.ts"
import * as Text from "../field/Text.ts"
import { WebhookId } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { issuedSecret, issuedWebhook, newWebhook, webhook, webhookChange } from "./WebhookExamples.ts"

/** Webhooks on a page of the list. */
export const pageSize = 50

export const addressMax = 2000

export const nameMax = 100

/** What stands for all changes, those of later releases included. */
export const everything = "*"

export const WebhookEvent = Schema.Literals([everything, ...changeNames]).annotate({
  identifier: "WebhookEvent",
  description: "The name of a change; `*` stands for all of them, also of those that later releases add"
})
export type WebhookEvent = typeof WebhookEvent.Type

const eventsMax = changeNames.length + 1

const WantedEvents = Schema.Array(WebhookEvent)
  .check(Schema.isMinLength(1), Schema.isMaxLength(eventsMax))
  .annotate({ description: "What it is told of. Beside `*`, names say nothing." })

/** Why the service has disabled a webhook, or delivers nothing to it. */
export const disabledReasons = ["gone", "failing", "overflow", "suspended"] as const

export const WebhookDisabledReason = Schema.Literals(disabledReasons).annotate({
  identifier: "WebhookDisabledReason",
  description:
    "`gone` if its receiver answered 410, `failing` if nothing was delivered for three days of failures, `overflow` if too much waited; `suspended` as long as the account that created it is"
})
export type WebhookDisabledReason = typeof WebhookDisabledReason.Type

export const ReplayRange = Schema.Struct({
  from: Timestamp.annotateKey({ description: "From when on" }),
  to: Timestamp.annotateKey({ description: "Until when" })
}).annotate({ identifier: "WebhookReplayRange", description: "What happened in a range of time" })
export interface ReplayRange extends Schema.Schema.Type<typeof ReplayRange> {}

const fields = {
  id: WebhookId,
  ...resourceFields,
  url: Schema.String.annotate({ format: "uri", description: "Where deliveries go" }),
  name: Schema.optionalKey(Schema.String).annotateKey({ description: "What administrators call it" }),
  events: Schema.Array(WebhookEvent).annotate({ description: "What it is told of" }),
  active: Schema.Boolean.annotate({
    description:
      "Whether anything is delivered. While it is false, nothing new is made for it, and what waits goes on waiting."
  }),
  created_by: ProfileReference.annotateKey({
    description: "The account that created it. It is told of what this account may know of at delivery."
  }),
  last_success_at: Schema.optionalKey(Timestamp).annotateKey({
    description: "When something was delivered last; absent before that"
  }),
  failing_since: Schema.optionalKey(Timestamp).annotateKey({
    description: "When the first attempt since then failed; absent if none did"
  }),
  waiting: Schema.Int.annotate({ description: "How many deliveries wait, for another try as well" }),
  disabled_reason: Schema.optionalKey(WebhookDisabledReason).annotateKey({
    description: "Why the service delivers nothing; absent if it does, or if an administrator decided so"
  }),
  replaying: Schema.optionalKey(ReplayRange).annotateKey({
    description: "What is delivered again at the moment, if anything is"
  })
}

export const Webhook = Schema.Struct(fields)
  .annotate({ identifier: "Webhook", description: "An address to which the service delivers what happens" })
  .pipe(withExample(webhook))
export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}

const secret = secretText("With it the receiver checks signatures. It is shown this once.")

export const WebhookIssued = Schema.Struct({ ...fields, secret })
  .annotate({ identifier: "WebhookIssued", description: "A webhook that was just created" })
  .pipe(withExample(issuedWebhook))
export interface WebhookIssued extends Schema.Schema.Type<typeof WebhookIssued> {}

export const WebhookSecret = Schema.Struct({ secret })
  .annotate({ identifier: "WebhookSecret", description: "A new secret of a webhook" })
  .pipe(withExample(issuedSecret))
export interface WebhookSecret extends Schema.Schema.Type<typeof WebhookSecret> {}

export const WebhookListResult = Schema.Struct({ ...PageFields, webhooks: Schema.Array(Webhook) })
  .annotate({ identifier: "WebhookListResult", description: "A page of webhooks, newest first" })
  .pipe(withExample({ ...onePage, webhooks: [webhook] }))
export interface WebhookListResult extends Schema.Schema.Type<typeof WebhookListResult> {}

const url = Text.verbatim({
  max: addressMax,
  format: "uri",
  description: "Where deliveries go: https, or what the operator allows beside it"
})

const active = Schema.optionalKey(Schema.Boolean)

export const NewWebhook = Schema.Struct({
  url,
  events: WantedEvents,
  name: Schema.optionalKey(Text.visibleLine({ max: nameMax, description: "What to call it" })),
  active: active.annotateKey({ description: "Whether anything is delivered; true if absent" })
})
  .annotate({ identifier: "WebhookInitialProps", description: "A webhook to create" })
  .pipe(withExample(newWebhook))
export interface NewWebhook extends Schema.Schema.Type<typeof NewWebhook> {}

export const WebhookChange = Schema.Struct({
  url: Schema.optionalKey(url),
  events: Schema.optionalKey(WantedEvents),
  name: Schema.optionalKey(
    Text.visibleLineOrNone({
      max: nameMax,
      description: "What to call it; an empty text takes the name away"
    })
  ),
  active: active.annotateKey({
    description:
      "Whether anything is delivered. True also enables one that the service has disabled, for what happens from then on."
  })
})
  .annotate({ identifier: "WebhookMutableProps", description: "What to change of a webhook" })
  .pipe(withExample(webhookChange))
export interface WebhookChange extends Schema.Schema.Type<typeof WebhookChange> {}
