import { PgClient } from "@effect/sql-pg"
import { type DateTime, Effect, Layer, Option, Queue, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { MailTransport } from "../../domain/mail/MailTransport.ts"
import { Permission } from "../../domain/shared/Permission.ts"
import {
  type TakenDelivery,
  WebhookDeliveryStore,
  WebhookSignal
} from "../../domain/webhook/WebhookDeliveryStore.ts"
import { type Attempt, attemptsKept } from "../../domain/webhook/WebhookRules.ts"
import { makeCurrentStandings } from "../change/CurrentStandingsSql.ts"
import { permissionsNow } from "../session/CallerSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, idsOf, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"
import { deliveriesOn } from "./WebhookDeliveryListSql.ts"
import { deliveryTable, messageOf, messageRows, takenOf, takenRows } from "./WebhookDeliveryRows.ts"

type Store = WebhookDeliveryStore["Service"]

// A statement may take ten seconds.
const deletedAtOnce = 1000

const healthRows = decoded(
  Schema.Struct({ failing_since: Schema.NullOr(Schema.Date), is_active: Schema.Boolean })
)

const recipientRows = decoded(
  Schema.Struct({ suspended: Schema.Boolean, permissions: Schema.Array(Permission) })
)

const recipientText = `select a.suspended_at is not null as suspended, ${permissionsNow("$2")} as permissions
  from accounts a where a.id = $1`

/** The secrets of a row of `webhooks w` that sign at a time, the newest first. */
const secretsAt = (sql: SqlClient.SqlClient, at: DateTime.Utc) =>
  sql`array(select secret from webhook_secrets s where s.webhook_id = w.id
    and (s.ends_at is null or s.ends_at > ${toDate(at)}) order by s.number desc)`

/** Puts the place of a delivery that was taken back, unless another one has it since. */
const freeing = (sql: PgClient.PgClient, { message, place, until }: TakenDelivery, at: Date) =>
  sql`update webhook_places set free_at = ${at}
    where webhook_id = ${message.webhookId} and number = ${place} and free_at = ${toDate(until)}`

const attemptValues = (
  sql: PgClient.PgClient,
  { answer, at, error, milliseconds, status }: Attempt
) => sql`${toDate(at)}::timestamptz, ${milliseconds}::int, ${status ?? null}::int, ${answer ?? null}::text,
  ${error ?? null}::text`

const enqueue =
  (sql: PgClient.PgClient, wake: Effect.Effect<void>): Store["enqueue"] =>
  (deliveries, at) => {
    if (deliveries.length === 0) return Effect.void
    const statement = sql`insert into webhook_deliveries
        (id, webhook_id, message_id, cause_id, type, created_at, queued_at, status, due_at)
      select n.id, w.id, n.message_id, e.id, n.type, ${toDate(at)}, ${toDate(at)}, 'waiting', ${toDate(at)}
      from ${deliveryTable(sql, deliveries)}
      join webhooks w on w.id = n.webhook_id join event_log e on e.id = n.cause_id
      where e.generation > w.since_generation
        or (e.generation = w.since_generation and not pg_visible_in_snapshot(e.txid, w.since))
      order by n.id on conflict (webhook_id, message_id) do nothing`
    return Effect.andThen(run(locking("webhook delivery")(statement)), wake)
  }

// Places are taken in the order in which they became free, so that webhooks take turns. Other instances take others:
// nobody waits for a row.
const take =
  (sql: PgClient.PgClient): Store["take"] =>
  (at, until) =>
    Effect.map(
      takenRows.first(sql`with free as materialized (
          select p.webhook_id, p.number from webhook_places p
          where p.free_at <= ${toDate(at)} and p.webhook_id in (
            select w.id from webhooks w where w.is_active and exists (
              select from webhook_deliveries d where d.webhook_id = w.id and d.due_at <= ${toDate(at)}))
          order by p.free_at, p.webhook_id, p.number limit 1 for update of p skip locked
        ), due as materialized (
          select d.id, free.number from free cross join lateral (
            select id from webhook_deliveries
            where webhook_id = free.webhook_id and due_at <= ${toDate(at)}
            order by due_at, id limit 1 for update skip locked) d
        ), used as (
          update webhook_places p set free_at = ${toDate(until)} from free
          where p.webhook_id = free.webhook_id and p.number = free.number and exists (select from due)
        ), taken as (
          update webhook_deliveries d set due_at = ${toDate(until)}, place = due.number, tries = d.tries + 1,
            attempts = d.attempts + 1
          from due where d.id = due.id
          returning d.id, d.webhook_id, d.message_id, d.cause_id, d.type, d.created_at, d.tries, d.attempts, d.place,
            d.due_at
        )
        select t.id, t.webhook_id, t.message_id, t.type, t.created_at, t.tries, t.attempts, t.place, t.due_at,
          w.url, w.account_id, e.event, e.occurred_at, ${secretsAt(sql, at)} as secrets
        from taken t join webhooks w on w.id = t.webhook_id left join event_log e on e.id = t.cause_id`),
      (row) => row && takenOf(row)
    )

const finish =
  (sql: PgClient.PgClient, wake: Effect.Effect<void>): Store["finish"] =>
  (taken, attempt, next, at) => {
    const { attempt: number, id, place } = taken
    const dueAt = next.status === "waiting" ? toDate(next.dueAt) : null
    const endedAt = next.status === "waiting" ? null : toDate(at)
    return Effect.andThen(
      run(
        locking("webhook delivery")(sql`with freed as (${freeing(sql, taken, toDate(at))}), finished as (
            update webhook_deliveries set status = ${next.status}, due_at = ${dueAt}::timestamptz,
              ended_at = ${endedAt}::timestamptz, place = null
            where id = ${id} and attempts = ${number} and place = ${place}
            returning id
          ), dropped as (
            delete from webhook_attempts where delivery_id = ${id} and number <= ${number - attemptsKept}
          )
          insert into webhook_attempts (delivery_id, number, begun_at, milliseconds, status, answer, error)
          select id, ${number}::int, ${attemptValues(sql, attempt)} from finished`)
      ),
      wake
    )
  }

// Most deliveries end like this. The webhook is locked first, as in a transaction, since the others wait for its row.
const finishDelivered =
  (sql: PgClient.PgClient, wake: Effect.Effect<void>): Store["finishDelivered"] =>
  (taken, attempt, at) => {
    const { attempt: number, id, message, place } = taken
    return Effect.andThen(
      run(sql`with noted as (
          update webhooks set last_success_at = ${toDate(at)}, failing_since = null where id = ${message.webhookId}
          returning id
        ), finished as (
          update webhook_deliveries d set status = 'delivered', due_at = null, ended_at = ${toDate(at)}, place = null
          from noted where d.id = ${id} and d.attempts = ${number} and d.place = ${place}
          returning d.id
        ), freed as (${freeing(sql, taken, toDate(at))} and exists (select from noted)), dropped as (
          delete from webhook_attempts
          where delivery_id = ${id} and number <= ${number - attemptsKept} and exists (select from noted)
        )
        insert into webhook_attempts (delivery_id, number, begun_at, milliseconds, status, answer, error)
        select id, ${number}::int, ${attemptValues(sql, attempt)} from finished`),
      wake
    )
  }

const drop =
  (sql: PgClient.PgClient, wake: Effect.Effect<void>): Store["drop"] =>
  (taken, at) =>
    Effect.andThen(
      run(
        locking("webhook delivery")(sql`with freed as (${freeing(sql, taken, toDate(at))})
          delete from webhook_deliveries
          where id = ${taken.id} and attempts = ${taken.attempt} and place = ${taken.place}`)
      ),
      wake
    )

const giveBack =
  (sql: PgClient.PgClient): Store["giveBack"] =>
  (taken, at) =>
    run(
      locking("webhook delivery")(sql`with freed as (${freeing(sql, taken, toDate(at))})
        update webhook_deliveries set due_at = ${toDate(at)}, place = null, tries = greatest(0, tries - 1)
        where id = ${taken.id} and attempts = ${taken.attempt} and place = ${taken.place}`)
    )

const insertTest =
  (sql: PgClient.PgClient): Store["insertTest"] =>
  (id, { messageId, type, webhookId }, attempt, status, at) =>
    run(
      locking("webhook delivery")(sql`with kept as (
          insert into webhook_deliveries
            (id, webhook_id, message_id, type, created_at, queued_at, status, ended_at, attempts)
          select ${id}, id, ${messageId}, ${type}, ${toDate(attempt.at)}, ${toDate(at)}, ${status}, ${toDate(at)}, 1
          from webhooks where id = ${webhookId} returning id
        )
        insert into webhook_attempts (delivery_id, number, begun_at, milliseconds, status, answer, error)
        select id, 1, ${attemptValues(sql, attempt)} from kept`)
    )

const noteHealth =
  (sql: PgClient.PgClient): Store["noteHealth"] =>
  (id, isSuccess, at) =>
    Effect.map(
      healthRows.first(
        locking("webhook")(sql`update webhooks set
            last_success_at = case when ${isSuccess}::boolean then ${toDate(at)} else last_success_at end,
            failing_since = case when ${isSuccess}::boolean then null else coalesce(failing_since, ${toDate(at)}) end
          where id = ${id} returning failing_since, is_active`)
      ),
      (row) =>
        Option.map(Option.fromUndefinedOr(row), ({ failing_since, is_active }) => ({
          failingSince: failing_since === null ? undefined : toDateTime(failing_since),
          active: is_active
        }))
    )

const retry =
  (sql: PgClient.PgClient, wake: Effect.Effect<void>): Store["retry"] =>
  (webhookId, id, at) =>
    some(
      locking("webhook delivery")(sql`update webhook_deliveries set
          status = 'waiting', ended_at = null, queued_at = ${toDate(at)},
          tries = case when place is not null and due_at > ${toDate(at)} then tries else 0 end,
          due_at = case when place is not null and due_at > ${toDate(at)} then due_at else ${toDate(at)} end
        where id = ${id} and webhook_id = ${webhookId} returning id`)
    ).pipe(Effect.tap((isRetried) => (isRetried ? wake : Effect.void)))

const deleteOld = (sql: PgClient.PgClient): Store["deleteOld"] =>
  Effect.fnUntraced(function* (queuedBefore, now) {
    yield* run(sql`delete from webhook_secrets where ends_at <= ${toDate(now)}`)
    const deleted = yield* idsOf(
      locking("webhook delivery")(sql<{ readonly id: string }>`delete from webhook_deliveries where id in (
          select id from webhook_deliveries where queued_at < ${toDate(queuedBefore)}
          order by queued_at, id limit ${deletedAtOnce} for update skip locked)
        returning id`)
    )
    return deleted.length === deletedAtOnce
  })

export const layer = Layer.effect(
  WebhookDeliveryStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const sendsMail = (yield* MailTransport) !== undefined
    const signal = yield* WebhookSignal
    const standings = makeCurrentStandings(reads)
    const wake = sql.afterCommit(Effect.asVoid(Queue.offer(signal, undefined)))

    return WebhookDeliveryStore.of({
      enqueue: enqueue(sql, wake),
      take: take(sql),
      findRecipient: (accountId) =>
        Effect.map(recipientRows.first(reads.unsafe(recipientText, [accountId, sendsMail])), (row) =>
          Option.map(Option.fromUndefinedOr(row), ({ permissions, suspended }) => ({
            _tag: "Account",
            accountId,
            suspended,
            permissions: new Set(permissions),
            // What it is told of is not narrowed by any.
            credential: "key"
          }))
        ),
      readStandings: (audience) => standings([audience]),
      hold: (id) => run(locking("webhook")(sql`select from webhooks where id = ${id} for key share`)),
      noteHealth: noteHealth(sql),
      finish: finish(sql, wake),
      finishDelivered: finishDelivered(sql, wake),
      drop: drop(sql, wake),
      giveBack: giveBack(sql),
      findMessage: (id, messageId, at) =>
        Effect.map(
          messageRows.first(reads`select w.id as webhook_id, w.url, ${messageId}::text as message_id, 'Test' as type,
              ${secretsAt(reads, at)} as secrets
            from webhooks w where w.id = ${id}`),
          (row) => Option.map(Option.fromUndefinedOr(row), messageOf)
        ),
      insertTest: insertTest(sql),
      ...deliveriesOn(reads),
      retry: retry(sql, wake),
      deleteOld: deleteOld(sql)
    })
  })
)
