/** What administrators do with webhooks, to which nothing is delivered. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import {
  secretsMax,
  TooManyWebhookSecrets,
  TooManyWebhooks,
  WebhookAddressRefused,
  WebhookNotFound,
  webhooksMax
} from "../../src/domain/webhook/WebhookRefusal.ts"
import { ok } from "../support/answers.ts"
import { fifty } from "../support/fifty.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { create, layer as service, shown, webhooks } from "./support.ts"

const url = "https://hooks.example/forum"

const clear = SqlClient.SqlClient.use((sql) => sql`delete from webhooks`)

const audited = Effect.gen(function* () {
  const { odin } = yield* Cast
  const { events } = ok(yield* odin.get("/admin/audit-events"))
  return events
    .filter(({ type }: { readonly type: string }) => type.startsWith("webhook_"))
    .map(({ id: _, timestamp: __, enacted_by: ___, ...event }: Record<string, unknown>) => event)
    .reverse()
})

layer(Layer.provideMerge(TestApp.uncached, service))("a webhook", (it) => {
  it.effect("is created with a secret that is shown once", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      const { secret, ...created } = ok(
        yield* odin.post(webhooks, {
          url: "HTTPS://hooks.example:443/a b#part",
          events: ["EventThreadPublished", "EventThreadDeleted", "EventThreadPublished"],
          name: " Search  index ",
          secret: "whsec_mine",
          unknown: true
        })
      )
      assert.match(secret, /^whsec_[\w+/]{43}=$/)
      const { created_by, createdAt, id } = created
      assert.strictEqual(created_by.handle, "odin")
      assert.deepStrictEqual(created, {
        id,
        createdAt,
        updatedAt: createdAt,
        misc: {},
        url: "https://hooks.example/a%20b",
        name: "Search  index",
        events: ["EventThreadPublished", "EventThreadDeleted"],
        active: true,
        created_by,
        waiting: 0
      })
      assert.deepStrictEqual(yield* shown(odin, id), created)
      const list = ok(yield* odin.get(webhooks))
      assert.deepStrictEqual(list.webhooks, [created])
      assert.strictEqual(list.results, 1)
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly secret: Uint8Array }>`select secret from webhook_secrets`
      assert.notInclude(Buffer.from(row?.secret ?? []).toString("latin1"), secret.slice(6))
    })
  )

  it.effect("needs nothing but an address and what it is told of", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      const { events, ...created } = yield* create(odin, url, {
        events: ["EventNodeCreated", "*"],
        active: false
      })
      assert.deepStrictEqual(events, ["*"])
      assert.notProperty(created, "name")
      assert.isFalse(created.active)
    })
  )

  it.effect("is refused for an address that nothing is sent to", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const [address, reason] of [
        ["hooks.example", "address"],
        ["https://", "address"],
        ["ftp://hooks.example/", "scheme"],
        ["http://93.184.216.34/", "scheme"],
        ["https://me:secret@hooks.example/", "credentials"],
        ["https://127.0.0.2/", "network"],
        ["https://10.0.0.1/", "network"],
        ["https://[::1]/", "network"],
        ["https://169.254.169.254/latest", "network"],
        ["https://93.184.216.34:22/", "port"]
      ] as const) {
        const answer = yield* odin.post(webhooks, { url: address, events: ["*"] })
        assertProblem(answer, WebhookAddressRefused, { reason })
      }
      const { id } = yield* create(odin, url)
      const changed = yield* odin.patch(`${webhooks}/${id}`, { url: "https://10.0.0.1/" })
      assertProblem(changed, WebhookAddressRefused, { reason: "network" })
      assert.strictEqual((yield* shown(odin, id)).url, url)
    })
  )

  it.effect("may have an address without https in a network that the operator opened", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      for (const address of ["http://127.0.0.1:81/", "http://localhost/", "http://hooks.internal/"]) {
        assert.strictEqual((yield* create(odin, address)).url, address)
      }
    })
  )

  it.effect("is refused for what is not as declared", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const post = (body: object) => odin.post(webhooks, body)
      assertInvalid(yield* post({}), "body url", "body events")
      assertInvalid(yield* post({ url, events: [] }), "body events")
      assertInvalid(yield* post({ url, events: ["EventUnknown"] }), "body events.0")
      assertInvalid(yield* post({ url, events: Array(44).fill("*") }), "body events")
      assertInvalid(yield* post({ url: `${url}/${"x".repeat(2000)}`, events: ["*"] }), "body url")
      assertInvalid(yield* post({ url, events: ["*"], name: "x".repeat(101) }), "body name")
      assertInvalid(yield* post({ url, events: ["*"], name: " " }), "body name")
      assertInvalid(yield* post({ url, events: ["*"], active: "yes" }), "body active")
    })
  )

  it.effect("is changed in what is sent, and its name taken away", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      const { id, secret: _, ...created } = yield* create(odin, url, { name: "One" })
      yield* TestClock.adjust("1 second")
      const patch = (body: object) => Effect.map(odin.patch(`${webhooks}/${id}`, body), ok)
      assert.deepStrictEqual(yield* patch({}), { id, ...created })
      const changed = yield* patch({
        url: "https://other.example/",
        events: ["EventPostLiked"],
        active: false
      })
      assert.deepStrictEqual(changed, {
        id,
        ...created,
        url: "https://other.example/",
        events: ["EventPostLiked"],
        active: false,
        updatedAt: changed.updatedAt
      })
      assert.notStrictEqual(changed.updatedAt, created.updatedAt)
      assert.notProperty(yield* patch({ name: "" }), "name")
      assert.strictEqual((yield* patch({ name: "Two" })).name, "Two")
      assertInvalid(yield* odin.patch(`${webhooks}/${id}`, { events: [] }), "body events")
    })
  )

  it.effect("is deleted, with its entries in the audit log staying", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      const before = (yield* audited).length
      const { id } = yield* create(odin, "https://hooks.example:8443/secret")
      ok(yield* odin.patch(`${webhooks}/${id}`, { name: "One", active: true }))
      ok(yield* odin.post(`${webhooks}/${id}/secret`))
      assert.strictEqual((yield* odin.delete(`${webhooks}/${id}`)).status, 204)
      assertProblem(yield* odin.get(`${webhooks}/${id}`), WebhookNotFound, { webhook_id: id })
      const about = { webhook_id: id, host: "hooks.example:8443" }
      assert.deepStrictEqual((yield* audited).slice(before), [
        { type: "webhook_created", ...about },
        { type: "webhook_updated", ...about, changed: ["active", "name"] },
        { type: "webhook_secret_replaced", ...about },
        { type: "webhook_deleted", ...about }
      ])
    })
  )

  it.effect("is of those who hold ADMINISTRATOR", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const { id } = yield* create(odin, url)
      for (const path of [webhooks, `${webhooks}/${id}`]) {
        assertProblem(yield* tyr.get(path), Forbidden)
        assertProblem(yield* guest.get(path), Unauthenticated)
      }
      for (const unknown of [nobody, "hello", "x".repeat(300)]) {
        for (const answer of [
          yield* odin.get(`${webhooks}/${unknown}`),
          yield* odin.patch(`${webhooks}/${unknown}`, { active: true }),
          yield* odin.delete(`${webhooks}/${unknown}`),
          yield* odin.post(`${webhooks}/${unknown}/secret`)
        ]) {
          assertProblem(answer, WebhookNotFound, { webhook_id: unknown })
        }
      }
    })
  )

  it.effect("has few secrets at the same time, and more once a day is over", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      const { id, secret } = yield* create(odin, url)
      const replace = odin.post(`${webhooks}/${id}/secret`)
      const secrets = [secret]
      for (let number = 1; number < secretsMax; number++) secrets.push(ok(yield* replace).secret)
      assert.lengthOf([...new Set(secrets)], secretsMax)
      assertProblem(yield* replace, TooManyWebhookSecrets, { maximum: secretsMax })
      yield* TestClock.adjust("24 hours")
      ok(yield* replace)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from webhook_secrets where ends_at is null`, 1)
      assert.lengthOf(yield* sql`select from webhook_secrets`, 2)
    })
  )

  it.effect("is one of fifty at most, however many are asked for at once", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      yield* create(odin, url)
      yield* create(odin, url)
      const answers = yield* fifty(() => odin.post(webhooks, { url, events: ["*"] }))
      const refused = answers.filter(({ status }) => status !== 200)
      assert.lengthOf(refused, 2)
      for (const answer of refused) assertProblem(answer, TooManyWebhooks, { maximum: webhooksMax })
      const list = ok(yield* odin.get(webhooks))
      assert.lengthOf(list.webhooks, webhooksMax)
      assert.deepStrictEqual([list.total_pages, list.next_page], [1, undefined])
      assert.deepStrictEqual(ok(yield* odin.get(`${webhooks}?page=2`)).webhooks, [])
    })
  )
})
