import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { misc } from "../../domain/field/Json.ts"
import { AccountId, WebhookId } from "../../domain/shared/Id.ts"
import { disabledReasons, pageSize, type Webhook, WebhookEvent } from "../../domain/webhook/Webhook.ts"
import { secretsMax, TooManyWebhooks, webhooksMax } from "../../domain/webhook/WebhookRefusal.ts"
import { type StoredWebhook, WebhookStore } from "../../domain/webhook/WebhookStore.ts"
import { ProfileCache, peopleVersion } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { pagedList } from "../shared/PagedList.ts"
import { decoded, run, some } from "../shared/Query.ts"
import { toDate, toTimestamp } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"

const instant = Schema.NullOr(Schema.Date)

const Row = Schema.Struct({
  id: WebhookId,
  account_id: AccountId,
  created_at: Schema.Date,
  updated_at: Schema.Date,
  url: Schema.String,
  name: Schema.NullOr(Schema.String),
  events: Schema.Array(WebhookEvent),
  is_active: Schema.Boolean,
  last_success_at: instant,
  failing_since: instant,
  disabled_reason: Schema.NullOr(Schema.Literals(disabledReasons)),
  waiting: Schema.Int,
  from_at: instant,
  to_at: instant,
  people_version: Schema.String
})
type Row = typeof Row.Type
const rows = decoded(Row)

const StoredRow = Schema.Struct({
  id: WebhookId,
  account_id: AccountId,
  url: Schema.String,
  events: Schema.Array(WebhookEvent),
  waiting: Schema.Int
})
const storedRows = decoded(StoredRow)

/** How many deliveries of a webhook wait. */
export const waitingOf = (webhook: string): string => `coalesce((select deliveries from webhook_totals
    where webhook_id = ${webhook}.id and status = 'waiting'), 0)`

const waiting = `${waitingOf("w")} as waiting`

const columns = `w.id, w.account_id, w.created_at, w.updated_at, w.url, w.name, w.events, w.is_active,
  w.last_success_at, w.failing_since,
  coalesce(w.disabled_reason, (select 'suspended' from accounts where id = w.account_id and suspended_at is not null))
    as disabled_reason,
  ${waiting}, r.from_at, r.to_at, ${peopleVersion} as people_version`

const replay = "left join webhook_replays r on r.webhook_id = w.id"

const newestFirst = pagedList<typeof Row.Encoded>({
  table: "webhooks",
  row: "w",
  columns,
  order: [["w.id", "desc", "text"]],
  pageSize
})

const storedOf = ({ account_id, ...row }: typeof StoredRow.Type): StoredWebhook => ({
  ...row,
  accountId: account_id
})

const replayOf = ({ from_at, to_at }: Row) =>
  from_at === null || to_at === null
    ? {}
    : { replaying: { from: toTimestamp(from_at), to: toTimestamp(to_at) } }

const webhookOf = (row: Row, created_by: Webhook["created_by"]): Webhook => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  url: row.url,
  ...(row.name === null ? {} : { name: row.name }),
  events: row.events,
  active: row.is_active,
  created_by,
  ...(row.last_success_at === null ? {} : { last_success_at: toTimestamp(row.last_success_at) }),
  ...(row.failing_since === null ? {} : { failing_since: toTimestamp(row.failing_since) }),
  waiting: row.waiting,
  ...(row.disabled_reason === null ? {} : { disabled_reason: row.disabled_reason }),
  ...replayOf(row)
})

type Store = WebhookStore["Service"]

const writesWith = (sql: PgClient.PgClient) => {
  const findStored = (condition: Statement.Fragment) =>
    locking("webhook")(
      sql`select w.id, w.account_id, w.url, w.events, ${sql.literal(waiting)}
        from webhooks w where ${condition} order by w.id for no key update`
    )

  return {
    findForUpdate: (id) =>
      Effect.map(storedRows.first(findStored(sql`w.id = ${id}`)), (row) =>
        Option.map(Option.fromUndefinedOr(row), storedOf)
      ),

    listActiveForUpdate: Effect.map(storedRows.all(findStored(sql`w.is_active`)), (found) =>
      found.map(storedOf)
    ),

    insert: ({ accountId, active, at, events, id, name, url }) =>
      locking("webhook")(
        sql`insert into webhooks (id, account_id, created_at, updated_at, url, name, events, is_active)
          values (${id}, ${accountId}, ${toDate(at)}, ${toDate(at)}, ${url}, ${name ?? null}, ${events}::text[],
            ${active})`
      ).pipe(
        Effect.asVoid,
        onViolationOf("webhooks_number", () => new TooManyWebhooks({ metadata: { maximum: webhooksMax } })),
        orDefect
      ),

    update: (id, changes, at) => {
      const becomesActive = changes.active === true
      const set = [
        sql`updated_at = ${toDate(at)}`,
        ...(changes.url === undefined ? [] : [sql`url = ${changes.url}`]),
        ...("name" in changes ? [sql`name = ${changes.name ?? null}`] : []),
        ...(changes.events === undefined ? [] : [sql`events = ${changes.events}::text[]`]),
        ...(changes.active === undefined ? [] : [sql`is_active = ${changes.active}, disabled_reason = null`]),
        // One that was active goes on from where it was.
        ...(becomesActive
          ? [
              sql`since = case when is_active then since else pg_current_snapshot() end,
                since_generation = case when is_active then since_generation else event_generation() end,
                failing_since = case when is_active then failing_since end`
            ]
          : [])
      ]
      return run(locking("webhook")(sql`update webhooks set ${sql.join(", ", false)(set)} where id = ${id}`))
    },

    delete: (id) => run(locking("webhook")(sql`delete from webhooks where id = ${id}`)),

    disable: (id, reason, at) =>
      run(
        locking("webhook")(
          sql`update webhooks set is_active = false, disabled_reason = ${reason}, updated_at = ${toDate(at)}
            where id = ${id}`
        )
      ),

    addSecret: Effect.fnUntraced(function* (id, sealed, at, until) {
      yield* run(sql`delete from webhook_secrets where webhook_id = ${id} and ends_at <= ${toDate(at)}`)
      yield* run(sql`update webhook_secrets set ends_at = ${toDate(until)}
        where webhook_id = ${id} and ends_at is null
          and (select count(*) from webhook_secrets where webhook_id = ${id}) < ${secretsMax}`)
      return yield* some(sql`insert into webhook_secrets (webhook_id, number, secret)
        select ${id}, coalesce(max(number), 0) + 1, ${sealed} from webhook_secrets where webhook_id = ${id}
        having count(*) < ${secretsMax} returning number`)
    })
  } satisfies Partial<Store>
}

export const layer = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads: SqlClient.SqlClient = yield* QuickReads
    const people = yield* ProfileCache

    const shown = (found: ReadonlyArray<Row>) =>
      people.show(
        found,
        ({ account_id }) => [account_id],
        (row, { brief }): Webhook => webhookOf(row, brief(row.account_id))
      )

    return WebhookStore.of({
      ...writesWith(sql),

      list: Effect.fnUntraced(function* (place) {
        const listed = yield* newestFirst.page(reads, {
          place,
          conditions: [reads`true`],
          joins: reads.literal(replay)
        })
        const decodedRows = yield* rows.all(Effect.succeed(listed.rows))
        return { total: listed.total, next: listed.next, webhooks: yield* shown(decodedRows) }
      }),

      findId: (id) =>
        Effect.map(some(reads`select id from webhooks where id = ${id}`), (isThere) =>
          isThere ? Option.some(id) : Option.none()
        ),

      find: (id) =>
        Effect.map(
          Effect.flatMap(
            rows.all(reads`select ${reads.literal(columns)} from webhooks w ${reads.literal(replay)}
              where w.id = ${id}`),
            shown
          ),
          ([webhook]) => Option.fromUndefinedOr(webhook)
        )
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
