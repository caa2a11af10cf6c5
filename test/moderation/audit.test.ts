/** The audit log as administrators read it. */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EventLog } from "../../src/domain/event/EventLog.ts"
import { AuditEventNotFound, AuditEventType } from "../../src/domain/moderation/AuditEvent.ts"
import { InternalErrors } from "../../src/domain/operations/InternalErrors.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { InternalError } from "../../src/http/contract/RequestProblems.ts"
import { plugins } from "../plugin/support.ts"
import { authorise, comeBack, connections, pending } from "../remoteresource/support.ts"
import { idsOf, ok } from "../support/answers.ts"
import { administrative as clients, createClient, initialTokens } from "../support/clients.ts"
import { open, reply } from "../support/discussion.ts"
import { resetPage } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, guest, nobody } from "../support/people.ts"
import { addExternal } from "../support/plugins.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { makeRemote } from "../support/remote.ts"
import { purgeOf } from "./scenarios.ts"

const log = (path = "") =>
  Effect.flatMap(Cast, ({ odin }) => Effect.map(odin.get(`/admin/audit-events${path}`), ok))

const typesOf = ({ events }: { readonly events: ReadonlyArray<{ readonly type: string }> }) =>
  events.map(({ type }) => type)

layer(People.layer)("the audit log", (it) => {
  it.effect("is for administrators", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* grant(loki, "MANAGE_POSTS", "MANAGE_SUSPENSIONS", "VIEW_ACCOUNTS")
      for (const [person, problem] of [
        [guest, Unauthenticated],
        [freya, Forbidden],
        [loki, Forbidden]
      ] as const) {
        assertProblem(yield* person.get("/admin/audit-events"), problem)
        assertProblem(yield* person.get(`/admin/audit-events/${nobody}`), problem)
      }
      yield* grant(freya, "ADMINISTRATOR")
      ok(yield* freya.get("/admin/audit-events"))
    })
  )

  it.effect("has an entry for each deletion, one's own included, newest first and narrowed by types", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Thread")
      const answer = yield* reply(freya, thread.id, "Reply")
      ok(yield* freya.delete(`/posts/${answer.id}`))
      ok(yield* tyr.delete(`/threads/${thread.id}`))
      ok(yield* odin.post("/admin/bans/freya"))
      ok(yield* odin.delete("/admin/bans/freya"))
      const { events, ...envelope } = yield* log()
      assert.deepStrictEqual(envelope, { page_size: 50, results: 4, total_pages: 1, current_page: 1 })
      assert.deepStrictEqual(typesOf({ events }), [
        "account_unsuspended",
        "account_suspended",
        "thread_deleted",
        "thread_reply_deleted"
      ])
      const [, , ofThread, ofReply] = events
      assert.deepStrictEqual([ofThread.thread_id, ofThread.enacted_by.handle], [thread.id, "tyr"])
      assert.deepStrictEqual([ofReply.reply_id, ofReply.enacted_by.handle], [answer.id, "freya"])
      for (const one of events) assert.deepStrictEqual(yield* log(`/${one.id}`), one)
      assertProblem(yield* odin.get(`/admin/audit-events/${nobody}`), AuditEventNotFound)
      assertProblem(yield* odin.get("/admin/audit-events/x"), AuditEventNotFound)

      const two = yield* log("?types=thread_deleted&types=account_suspended")
      assert.deepStrictEqual(typesOf(two), ["account_suspended", "thread_deleted"])
      assert.strictEqual(two.total_pages, 1)
      assertInvalid(yield* odin.get("/admin/audit-events?types=robbery"), "query types.0")
    })
  )

  it.effect("is narrowed by a range of time whose ends may be open", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const all = yield* log()
      const middle = all.events[1].timestamp
      const inRange = (range: string) =>
        Effect.map(log(`?range=${encodeURIComponent(range)}`), ({ events, total_pages }) => [
          events.map(({ timestamp }: { readonly timestamp: string }) => timestamp),
          total_pages
        ])
      const timestamps: ReadonlyArray<string> = all.events.map(
        ({ timestamp }: { readonly timestamp: string }) => timestamp
      )
      const since = timestamps.filter((at) => at >= middle)
      const until = timestamps.filter((at) => at <= middle)
      assert.deepStrictEqual(yield* inRange(`${middle}/`), [since, 1])
      assert.deepStrictEqual(yield* inRange(middle), [since, 1])
      assert.deepStrictEqual(yield* inRange(`/${middle}`), [until, 1])
      assert.deepStrictEqual(yield* inRange(`${middle}/${middle}`), [
        timestamps.filter((at) => at === middle),
        1
      ])
      assert.deepStrictEqual(yield* inRange("2001-01-01/2001-02-01"), [[], 0])
      for (const bad of ["a", "2026-01-01/2026-01-02/2026-01-03", "2026-02-30"]) {
        assertInvalid(yield* odin.get(`/admin/audit-events?range=${bad}`), "query range")
      }
    })
  )

  it.effect("has pages that do not overlap, and numbers that are right on all", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into audit_events (id, occurred_at, type, subject, cause_id)
        select 't' || lpad(n::text, 18, '0') || '0', '2001-01-01Z', 'thread_deleted',
          jsonb_build_object('thread_id', '00000000000000000000'), -n from generate_series(1, 120) n`
      const pages = yield* Effect.forEach([1, 2, 3, 4], (page) => log(`?types=thread_deleted&page=${page}`))
      assert.deepStrictEqual(
        pages.map(({ next_page, results, total_pages }) => [results, total_pages, next_page]),
        [
          [50, 3, 2],
          [50, 3, 3],
          [21, 3, undefined],
          [0, 3, undefined]
        ]
      )
      const ids = pages.flatMap(({ events }) => events.map(({ id }: { readonly id: string }) => id))
      assert.strictEqual(new Set(ids).size, 121)
      // Nobody in particular did it.
      assert.notProperty(pages[2]?.events[0], "enacted_by")
    })
  )

  it.effect("stays as it was written, whoever writes to the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const change of [
        sql`delete from audit_events`,
        sql`truncate audit_events`,
        sql`update audit_events set type = 'thread_deleted' where type <> 'thread_deleted'`,
        sql`update audit_events set subject = '{}', enacted_by = null`
      ]) {
        assert.strictEqual((yield* Effect.flip(change)).reason._tag, "ConstraintError")
      }
    })
  )
})

layer(People.layer)("an entry of the audit log", (it) => {
  it.effect("of each type is there with the answer to what it names, and is by itself as in lists", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const thread = yield* open(freya, "Thread")
      const answer = yield* reply(freya, thread.id, "Reply")
      const on = `/accounts/${freya.id}`
      const account_id = freya.id
      const email = ok(
        yield* freya.post("/accounts/self/emails", { email_address: "freya@folkvangr.example" })
      )
      const seen = new Set<string>()
      /** What was just answered has one entry more, the newest, of this type and with these fields. */
      const written = Effect.fnUntraced(function* (type: string, fields: object) {
        seen.add(type)
        const { events } = yield* log()
        assert.strictEqual(events.length, seen.size, type)
        const entries = events.filter((event: { readonly type: string }) => event.type === type)
        assert.strictEqual(entries.length, 1, type)
        const { enacted_by, id, timestamp, ...rest } = entries[0]
        assert.deepStrictEqual(rest, { type, ...fields })
        assert.strictEqual(enacted_by?.id, type === "internal_error" ? undefined : odin.id)
        assert.match(id, /^[0-9a-v]{19}[0g]$/)
        assert.isNotNaN(Date.parse(timestamp))
        assert.deepStrictEqual(yield* log(`/${id}`), entries[0], type)
        assert.deepStrictEqual((yield* log(`?types=${type}`)).events, entries, type)
      })

      ok(yield* odin.delete(`/posts/${answer.id}`))
      yield* written("thread_reply_deleted", { reply_id: answer.id })
      ok(yield* odin.delete(`/threads/${thread.id}`))
      yield* written("thread_deleted", { thread_id: thread.id })
      ok(yield* odin.post("/admin/bans/freya"))
      yield* written("account_suspended", { account_id })
      ok(yield* odin.delete("/admin/bans/freya"))
      yield* written("account_unsuspended", { account_id })
      const note = ok(yield* odin.post(`${on}/moderation-notes`, { content: "Note" }))
      yield* written("moderation_note_created", { account_id, note_id: note.id })
      yield* odin.delete(`${on}/moderation-notes/${note.id}`)
      yield* written("moderation_note_deleted", { account_id, note_id: note.id })
      const warning = ok(yield* odin.post(`${on}/warnings`, { reason: "First" }))
      const ofWarning = { account_id, warning_id: warning.id }
      yield* written("account_warned", ofWarning)
      ok(yield* odin.patch(`${on}/warnings/${warning.id}`, { reason: "Second" }))
      yield* written("account_warning_updated", {
        ...ofWarning,
        previous_reason: "First",
        reason: "Second"
      })
      yield* odin.delete(`${on}/warnings/${warning.id}`)
      yield* written("account_warning_deleted", ofWarning)
      ok(yield* odin.post(`${on}/auth/password/reset-token`))
      yield* written("account_password_reset_token_issued", { account_id })
      const reset = { email_address_id: email.id, token_url: resetPage }
      yield* odin.post(`${on}/auth/email-password/reset`, reset)
      yield* written("account_password_reset_email_sent", { account_id, email_address_id: email.id })
      yield* odin.post("/admin/actions", purgeOf(freya, "likes", "profile_bio"))
      yield* written("account_content_purged", { account_id, included: ["likes", "profile_bio"] })
      const { erased_at } = ok(yield* odin.post(`/admin${on}/erasure`, { keep_posts: true }))
      yield* written("account_erasure_requested", { account_id, erased_at, keep_posts: true })
      yield* odin.delete(`/admin${on}/erasure`)
      yield* written("account_erasure_cancelled", { account_id })
      ok(yield* odin.post("/accounts/self/export", { password: People.password }))
      yield* written("account_export_requested", { account_id: odin.id })
      const field = { name: "Weight", type: "number", value: "1", sort: "1" }
      const node = ok(yield* odin.post("/nodes", { name: "Scale", properties: [field] }))
      ok(yield* odin.patch(`/nodes/${node.id}/properties`, { properties: [] }))
      const fields = { node_id: node.id, names: ["Weight"], values: 1 }
      yield* written("node_property_fields_deleted", fields)
      const client = yield* createClient(odin, freya)
      const named = { oauth_client_id: client.id, client_id: client.client_id }
      yield* written("oauth_client_created", { ...named, name: client.name, account_id })
      ok(yield* odin.patch(`${clients}/${client.id}`, { name: "Library" }))
      yield* written("oauth_client_updated", { ...named, name: "Library", changed: ["name"] })
      const granted = { oauth_client_id: client.id, client_id: client.client_id, account_id }
      const events = yield* EventLog
      yield* events.append(AccountId.make(odin.id), { _tag: "AccountErased", keep_posts: true })
      yield* written("account_erased", { keep_posts: true })
      for (const [_tag, type] of [
        ["OAuthTokenReused", "oauth_token_reused"],
        ["OAuthTokenRevoked", "oauth_token_revoked"]
      ] as const) {
        yield* events.append(AccountId.make(odin.id), {
          _tag,
          id: client.id,
          client_id: client.client_id,
          account_id: AccountId.make(freya.id)
        })
        yield* written(type, granted)
      }
      yield* odin.delete(`${clients}/${client.id}`)
      yield* written("oauth_client_deleted", { ...named, name: "Library" })
      const remote = makeRemote("audited")
      const { id, resource_url } = yield* pending(odin, remote)
      const connection = { oauth_remote_connection_id: id, resource_url }
      yield* written("oauth_remote_connection_created", { ...connection, mode: "cimd" })
      ok(yield* comeBack(odin, remote.approve(yield* authorise(odin, id))))
      yield* written("oauth_remote_connection_connected", connection)
      yield* odin.delete(`${connections}/${id}`)
      yield* written("oauth_remote_connection_deleted", connection)
      const plugin = yield* addExternal(odin)
      const ofPlugin = { plugin_instance_id: plugin.id, name: plugin.name }
      yield* written("plugin_added", { ...ofPlugin, mode: "external" })
      ok(yield* odin.patch(`${plugins}/${plugin.id}/manifest`, plugin.manifest))
      yield* written("plugin_updated", { ...ofPlugin, changed: "manifest" })
      ok(yield* odin.post(`${plugins}/${plugin.id}/token`))
      yield* written("plugin_token_cycled", ofPlugin)
      for (const [_tag, type] of [
        ["PluginActivated", "plugin_activated"],
        ["PluginDeactivated", "plugin_deactivated"],
        ["PluginConfigured", "plugin_configured"]
      ] as const) {
        yield* events.append(AccountId.make(odin.id), { _tag, id: plugin.id, name: plugin.name })
        yield* written(type, ofPlugin)
      }
      yield* odin.delete(`${plugins}/${plugin.id}`)
      yield* written("plugin_removed", ofPlugin)
      const webhook = ok(
        yield* odin.post("/admin/webhooks", { url: "https://hooks.example/", events: ["*"] })
      )
      const ofWebhook = { webhook_id: webhook.id, host: "hooks.example" }
      yield* written("webhook_created", ofWebhook)
      ok(yield* odin.patch(`/admin/webhooks/${webhook.id}`, { name: "Index" }))
      yield* written("webhook_updated", { ...ofWebhook, changed: ["name"] })
      ok(yield* odin.post(`/admin/webhooks/${webhook.id}/secret`))
      yield* written("webhook_secret_replaced", ofWebhook)
      const disabled = { account_id: AccountId.make(odin.id), reason: "gone" }
      yield* events.append(AccountId.make(odin.id), {
        _tag: "WebhookDisabled",
        id: webhook.id,
        host: "hooks.example",
        ...disabled
      })
      yield* written("webhook_disabled", { ...ofWebhook, ...disabled })
      yield* odin.delete(`/admin/webhooks/${webhook.id}`)
      yield* written("webhook_deleted", ofWebhook)
      const token = ok(yield* odin.post(initialTokens, { expires_in: 60, max_registrations: 3 }))
      const ofToken = { initial_access_token_id: token.id }
      yield* written("oauth_initial_access_token_created", {
        ...ofToken,
        expires_at: token.expires_at,
        max_registrations: 3
      })
      yield* odin.delete(`${initialTokens}/${token.id}`)
      yield* written("oauth_initial_access_token_revoked", ofToken)
      const { report } = yield* InternalErrors
      yield* report({ where: "a chore", what: "It failed", failure: Cause.die(new Error("No room")) })
      const [failure] = (yield* log("?types=internal_error")).events
      const { last_at, message, occurrences, trace_id, where } = failure
      yield* written("internal_error", { last_at, message, occurrences, trace_id, where })

      assert.sameMembers([...seen], [...AuditEventType.literals])
      yield* drainEvents
      assert.strictEqual((yield* log()).results, seen.size)
    })
  )

  it.effect("is written if and only if what it tells of is", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Stays")
      const before = yield* log()
      const isRefused = Effect.gen(function* () {
        assertProblem(yield* odin.delete(`/threads/${thread.id}`), InternalError)
        ok(yield* guest.get(`/threads/${thread.id}`))
        assert.deepStrictEqual(yield* log(), before)
      })
      yield* sql`alter table audit_events add constraint refused check (false) not valid`
      yield* isRefused
      yield* sql`alter table audit_events drop constraint refused`

      // Once the entry is written, the event that it follows from is refused.
      yield* sql`create function refuse_after() returns trigger language plpgsql as $$
        begin raise exception 'refused on purpose'; end $$`
      yield* sql`create trigger refuse_after after insert on audit_events
        for each statement execute function refuse_after()`
      yield* isRefused
      yield* sql`drop trigger refuse_after on audit_events`
      ok(yield* odin.delete(`/threads/${thread.id}`))
      assert.strictEqual((yield* log()).results, before.results + 1)
    })
  )
})

layer(People.layer)("a page of the audit log", (it) => {
  const seed = SqlClient.SqlClient.use(
    (sql) => sql`insert into audit_events (id, occurred_at, type, subject, cause_id)
      select lpad((n * 7919 % 100003)::text, 19, '0') || '0', timestamptz '2001-01-01Z' + (n / 3) * interval '1 minute',
        case when n % 500 = 0 then 'account_suspended' when n % 3 = 0 then 'thread_reply_deleted' else 'thread_deleted' end,
        case when n % 500 = 0 then jsonb_build_object('account_id', '00000000000000000000')
          when n % 3 = 0 then jsonb_build_object('reply_id', '00000000000000000000')
          else jsonb_build_object('thread_id', '00000000000000000000') end, -n
      from generate_series(1, 3021) n`
  )

  it.effect("has the entries that it should, near and far, whatever narrows the list", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* seed
      const rare = "types=account_suspended"
      const some = `${rare}&types=thread_reply_deleted&types=account_suspended`
      const range = encodeURIComponent("2001-01-01T03:00:00Z/2001-01-01T14:00:00Z")
      const within = "occurred_at between '2001-01-01T03:00Z' and '2001-01-01T14:00Z'"
      const ofSome = "type in ('account_suspended', 'thread_reply_deleted')"
      for (const [query, condition] of [
        ["", "true"],
        [rare, "type = 'account_suspended'"],
        [some, ofSome],
        [`range=${range}`, within],
        [`${some}&range=${range}`, `${ofSome} and ${within}`],
        [
          `${rare}&types=account_warned&range=2001-01-02/`,
          "type = 'account_suspended' and occurred_at >= '2001-01-02Z'"
        ]
      ] as const) {
        const rows = yield* sql.unsafe<{ readonly id: string }>(
          `select id from audit_events where ${condition} order by occurred_at desc, id desc`
        )
        const whole = rows.map(({ id }) => id)
        const pages = Math.ceil(whole.length / 50)
        for (const page of new Set([
          1,
          2,
          Math.ceil(pages / 2) + 1,
          pages - 1,
          pages,
          pages + 1,
          2_147_483_647
        ])) {
          if (page < 1) continue
          const { events, next_cursor, ...numbers } = yield* log(`?${query}&page=${page}`)
          const items = whole.slice((page - 1) * 50, page * 50)
          const about = `${query} ${page}`
          assert.deepStrictEqual(idsOf(events), items, about)
          assert.strictEqual(next_cursor !== undefined, page < pages, about)
          assert.deepStrictEqual(
            numbers,
            {
              page_size: 50,
              results: items.length,
              total_pages: pages,
              current_page: page,
              ...(page < pages ? { next_page: page + 1 } : {})
            },
            about
          )
        }
      }
    })
  )
})
