import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import {
  TooManyWaitingDeliveries,
  WebhookDeliveryNotFound,
  WebhookReplayRangeInvalid,
  WebhookReplayRunning
} from "../../src/domain/webhook/WebhookDelivery.ts"
import {
  TooManyWebhookSecrets,
  TooManyWebhooks,
  WebhookAddressRefused,
  WebhookNotFound
} from "../../src/domain/webhook/WebhookRefusal.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { Cast, drainEvents, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

const webhooks = "/admin/webhooks"

const range = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" }

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  // Nothing that another test of this process leaves answers there.
  const body = { url: "https://unanswered.example/forum", events: ["EventThreadPublished"], name: "Index" }
  const { id } = ok(yield* odin.post(webhooks, body))
  const full = ok(yield* odin.post(webhooks, body))
  const going = ok(yield* odin.post(webhooks, body))
  const at = `${webhooks}/${id}`
  const unknown = `${webhooks}/${nobody}`
  for (let secret = 0; secret < 4; secret++) ok(yield* odin.post(`${webhooks}/${full.id}/secret`))
  yield* open(odin, "Tide")
  yield* drainEvents
  const [delivery] = ok(yield* odin.get(`${at}/deliveries`)).deliveries
  const [other] = ok(yield* odin.get(`${webhooks}/${full.id}/deliveries`)).deliveries
  yield* sql`update webhook_totals set deliveries = 100000 where webhook_id = ${full.id}`
  const ofDelivery = `${at}/deliveries/${delivery.id}`
  yield* sql`insert into webhooks (id, account_id, created_at, updated_at, url, events, is_active)
    select '5' || lpad(n::text, 19, '0'), ${odin.id}, 'epoch', 'epoch', 'https://a.example/', array['*'], false
    from generate_series(1, 46) n`
  const refusals = (operation: string, call: (as: typeof odin) => ReturnType<typeof odin.get>) => [
    { operation, when: "by a member", call: call(freya), expects: Forbidden },
    { operation, when: "by a guest", call: call(guest), expects: Unauthenticated }
  ]
  return [
    { operation: "WebhookList", call: odin.get(webhooks), expects: 200, statements: 2 },
    ...refusals("WebhookList", (as) => as.get(webhooks)),
    { operation: "WebhookGet", call: odin.get(at), expects: 200, statements: 2 },
    { operation: "WebhookGet", when: "unknown", call: odin.get(unknown), expects: WebhookNotFound },
    ...refusals("WebhookGet", (as) => as.get(at)),
    { operation: "WebhookCreate", call: odin.post(webhooks, body), expects: 200, statements: 7 },
    {
      operation: "WebhookCreate",
      when: "beyond as many as there may be",
      call: odin.post(webhooks, body),
      expects: TooManyWebhooks
    },
    {
      operation: "WebhookCreate",
      when: "with an address in a private network",
      call: odin.post(webhooks, { ...body, url: "https://10.0.0.1/" }),
      expects: WebhookAddressRefused
    },
    ...refusals("WebhookCreate", (as) => as.post(webhooks, body)),
    {
      operation: "WebhookUpdate",
      call: odin.patch(at, { name: "Other", active: true }),
      expects: 200,
      statements: 5
    },
    {
      operation: "WebhookUpdate",
      when: "with an address in a private network",
      call: odin.patch(at, { url: "https://10.0.0.1/" }),
      expects: WebhookAddressRefused
    },
    {
      operation: "WebhookUpdate",
      when: "unknown",
      call: odin.patch(unknown, { name: "Other" }),
      expects: WebhookNotFound
    },
    ...refusals("WebhookUpdate", (as) => as.patch(at, { name: "Other" })),
    { operation: "WebhookReplaceSecret", call: odin.post(`${at}/secret`), expects: 200, statements: 6 },
    {
      operation: "WebhookReplaceSecret",
      when: "beyond as many as sign",
      call: odin.post(`${webhooks}/${full.id}/secret`),
      expects: TooManyWebhookSecrets
    },
    {
      operation: "WebhookReplaceSecret",
      when: "unknown",
      call: odin.post(`${unknown}/secret`),
      expects: WebhookNotFound
    },
    ...refusals("WebhookReplaceSecret", (as) => as.post(`${at}/secret`)),
    { operation: "WebhookTest", call: odin.post(`${at}/test`), expects: 200, statements: 3 },
    {
      operation: "WebhookTest",
      when: "unknown",
      call: odin.post(`${unknown}/test`),
      expects: WebhookNotFound
    },
    ...refusals("WebhookTest", (as) => as.post(`${at}/test`)),
    {
      operation: "WebhookDeliveryList",
      call: odin.get(`${at}/deliveries?status=waiting`),
      expects: 200,
      statements: 3
    },
    {
      operation: "WebhookDeliveryList",
      when: "unknown",
      call: odin.get(`${unknown}/deliveries`),
      expects: WebhookNotFound
    },
    ...refusals("WebhookDeliveryList", (as) => as.get(`${at}/deliveries`)),
    { operation: "WebhookDeliveryGet", call: odin.get(ofDelivery), expects: 200, statements: 4 },
    {
      operation: "WebhookDeliveryGet",
      when: "unknown",
      call: odin.get(`${at}/deliveries/${nobody}`),
      expects: WebhookDeliveryNotFound
    },
    {
      operation: "WebhookDeliveryGet",
      when: "of an unknown webhook",
      call: odin.get(`${unknown}/deliveries/${delivery.id}`),
      expects: WebhookNotFound
    },
    ...refusals("WebhookDeliveryGet", (as) => as.get(ofDelivery)),
    {
      operation: "WebhookDeliveryRetry",
      call: odin.post(`${ofDelivery}/retry`),
      expects: 200,
      statements: 6
    },
    {
      operation: "WebhookDeliveryRetry",
      when: "where as many wait as may",
      call: odin.post(`${webhooks}/${full.id}/deliveries/${other.id}/retry`),
      expects: TooManyWaitingDeliveries
    },
    {
      operation: "WebhookDeliveryRetry",
      when: "unknown",
      call: odin.post(`${at}/deliveries/${nobody}/retry`),
      expects: WebhookDeliveryNotFound
    },
    {
      operation: "WebhookDeliveryRetry",
      when: "of an unknown webhook",
      call: odin.post(`${unknown}/deliveries/${delivery.id}/retry`),
      expects: WebhookNotFound
    },
    ...refusals("WebhookDeliveryRetry", (as) => as.post(`${ofDelivery}/retry`)),
    { operation: "WebhookReplay", call: odin.post(`${at}/replay`, range), expects: 200, statements: 4 },
    {
      operation: "WebhookReplay",
      when: "again",
      call: odin.post(`${at}/replay`, range),
      expects: WebhookReplayRunning
    },
    {
      operation: "WebhookReplay",
      when: "of a range that ends before it begins",
      call: odin.post(`${at}/replay`, { from: range.to, to: range.from }),
      expects: WebhookReplayRangeInvalid
    },
    {
      operation: "WebhookReplay",
      when: "unknown",
      call: odin.post(`${unknown}/replay`, range),
      expects: WebhookNotFound
    },
    ...refusals("WebhookReplay", (as) => as.post(`${at}/replay`, range)),
    {
      operation: "WebhookDelete",
      call: odin.delete(`${webhooks}/${going.id}`),
      expects: 204,
      statements: 4
    },
    { operation: "WebhookDelete", when: "unknown", call: odin.delete(unknown), expects: WebhookNotFound },
    ...refusals("WebhookDelete", (as) => as.delete(at))
  ]
})
