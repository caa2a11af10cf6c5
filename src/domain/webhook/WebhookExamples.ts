/** Examples of what is said of webhooks. */
import { odin } from "../account/AccountExamples.ts"

const created = "2026-11-26T10:20:30.400Z"

export const newWebhook = {
  url: "https://hooks.example/forum",
  name: "Search index",
  events: ["EventThreadPublished", "EventThreadDeleted"]
} as const

export const webhook = {
  id: "dc3v1qnkhh6uivg0030g",
  createdAt: created,
  updatedAt: created,
  misc: {},
  url: newWebhook.url,
  name: newWebhook.name,
  events: newWebhook.events,
  active: true,
  created_by: odin,
  waiting: 0
} as const

export const issuedSecret = { secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwkqRuIhh1eZQ=" } as const

export const issuedWebhook = { ...webhook, ...issuedSecret } as const

export const webhookChange = { name: newWebhook.name, active: true } as const

export const attempt = {
  at: "2026-11-26T10:21:00.120Z",
  milliseconds: 38,
  status: 200,
  answer: "ok"
} as const

export const delivery = {
  id: "dc3v1rfkhh6uivg0031g",
  message_id: "dc40g300000000000j90",
  type: "EventThreadPublished",
  status: "delivered",
  createdAt: "2026-11-26T10:21:00.060Z",
  ended_at: "2026-11-26T10:21:00.158Z",
  attempt_count: 1
} as const

export const deliveryWithAttempts = { ...delivery, attempts: [attempt] } as const

export const replayRange = {
  from: "2026-11-25T00:00:00.000Z",
  to: "2026-11-26T00:00:00.000Z"
} as const
