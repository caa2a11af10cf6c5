import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Queue } from "effect"
import type { Statement } from "effect/sql"
import { EmailQueueStore, MailSignal } from "../../domain/mail/EmailQueueStore.ts"
import { attemptsKept, triesMax } from "../../domain/mail/MailRules.ts"
import type { EmailId } from "../../domain/shared/Id.ts"
import { SlowReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"
import { emailsOn } from "./EmailListSql.ts"

interface TakenRow {
  readonly id: EmailId
  readonly queued_at: Date
  readonly recipient_address: string
  readonly recipient_name: string
  readonly subject: string
  readonly text_body: string
  readonly html_body: string
  readonly tries: number
  readonly attempts: number
}

// A statement may take ten seconds.
const deletedAtOnce = 1000

type Store = EmailQueueStore["Service"]

const enqueue = (sql: PgClient.PgClient, wake: Effect.Effect<void>): Store["enqueue"] =>
  Effect.fnUntraced(function* (mail, { client, key }, { each, since, together }) {
    const at = toDate(mail.queuedAt)
    const counting = sql`unnest(r.queued, r.clients) one (at, client) where at > ${toDate(since)}`
    const number = (of: Statement.Fragment) => sql`(select count(*) ${of} from ${counting})`
    // Two mails to one recipient are counted one after the other, by the lock of its row.
    const isQueued = yield* some(
      locking("mail recipient")(sql`with counted as (
          insert into email_recipients as r (address, queued, clients, last_queued_at)
          values (${key}, array[${at}::timestamptz], array[${client}::text], ${at})
          on conflict (address) do update set
            queued = array_append(array(select at from ${counting} order by at, client),
              ${at}::timestamptz),
            clients = array_append(array(select client from ${counting} order by at, client), ${client}::text),
            last_queued_at = ${at}
            where ${number(sql.literal(""))} < ${together}
              and ${number(sql`filter (where client = ${client})`)} < ${each}
          returning address
        )
        insert into email_queue
          (id, queued_at, updated_at, recipient_address, recipient_name, subject, text_body, html_body, due_at)
        select ${mail.id}, ${at}, ${at}, ${mail.address}, ${mail.name}, ${mail.subject}, ${mail.text},
          ${mail.html}, ${at} from counted
        returning id`)
    )
    if (isQueued) {
      yield* wake
      return Option.none()
    }
    const row = yield* first(sql<{ readonly oldest: Date | null }>`select greatest(
        case when count(*) >= ${together} then min(at) end,
        case when count(*) filter (where client = ${client}) >= ${each}
          then min(at) filter (where client = ${client}) end) as oldest
      from email_recipients r, ${counting} and address = ${key}`)
    return Option.some(row === undefined || row.oldest === null ? mail.queuedAt : toDateTime(row.oldest))
  })

const take = (sql: PgClient.PgClient): Store["take"] =>
  Effect.fnUntraced(function* (at, until) {
    // Other instances take others: nobody waits for a row. What was being sent was given up by whoever sent it.
    const row = yield* first(sql<TakenRow>`with next as materialized (
        select id, status from email_queue where due_at <= ${toDate(at)}
        order by due_at, id limit 1 for update skip locked
      ), given_up as (
        insert into email_attempts (email_id, number, ended_at, status, error)
        select next.id, q.attempts, ${toDate(at)}, 'failed', 'The service ended while it sent the mail'
        from next join email_queue q on q.id = next.id where next.status = 'processing'
        on conflict do nothing
      )
      update email_queue q set status = 'processing', updated_at = ${toDate(at)}, due_at = ${toDate(until)},
        tries = q.tries + 1, attempts = q.attempts + 1
      from next where q.id = next.id
      returning q.id, q.queued_at, q.recipient_address, q.recipient_name, q.subject, q.text_body, q.html_body,
        q.tries, q.attempts`)
    return (
      row && {
        mail: {
          id: row.id,
          queuedAt: toDateTime(row.queued_at),
          address: row.recipient_address,
          name: row.recipient_name,
          subject: row.subject,
          text: row.text_body,
          html: row.html_body
        },
        tries: row.tries,
        attempt: row.attempts
      }
    )
  })

const finish = (sql: PgClient.PgClient): Store["finish"] =>
  Effect.fnUntraced(function* ({ attempt: number, mail }, attempt, dueAt, at) {
    const isSent = attempt._tag === "Sent"
    yield* run(
      locking("mail")(sql`with finished as (
          update email_queue set
            status = ${isSent ? "sent" : "failed"}, updated_at = ${toDate(at)},
            processed_at = ${isSent ? toDate(at) : null}::timestamptz,
            due_at = ${dueAt === undefined ? null : toDate(dueAt)}::timestamptz,
            text_body = case when ${isSent} then null else text_body end,
            html_body = case when ${isSent} then null else html_body end
          where id = ${mail.id} and attempts = ${number} and status = 'processing'
          returning id
        ), dropped as (
          delete from email_attempts where email_id = ${mail.id} and number <= ${number - attemptsKept}
        )
        insert into email_attempts (email_id, number, ended_at, status, error)
        select id, ${number}, ${toDate(at)}, ${isSent ? "sent" : "failed"},
          ${attempt._tag === "Failed" ? attempt.error : null}::text from finished`)
    )
  })

const giveBack =
  (sql: PgClient.PgClient): Store["giveBack"] =>
  ({ attempt, mail }, at) =>
    run(
      locking("mail")(sql`update email_queue set status = 'pending', updated_at = ${toDate(at)},
          due_at = ${toDate(at)}, tries = greatest(0, tries - 1)
        where id = ${mail.id} and attempts = ${attempt} and status = 'processing'`)
    )

const retry =
  (sql: PgClient.PgClient, wake: Effect.Effect<void>): Store["retry"] =>
  (id, triesLeft, at) =>
    some(
      locking("mail")(sql`update email_queue set status = 'pending', updated_at = ${toDate(at)},
          due_at = ${toDate(at)}, tries = least(tries, ${triesMax - triesLeft})
        where id = ${id} and status = 'failed' returning id`)
    ).pipe(Effect.tap((isRetried) => (isRetried ? wake : Effect.void)))

const deleteOld =
  (sql: PgClient.PgClient): Store["deleteOld"] =>
  (queuedBefore) =>
    Effect.map(
      all(sql`delete from email_queue where id in (
          select id from email_queue where queued_at < ${toDate(queuedBefore)} and due_at is null
          order by queued_at, id limit ${deletedAtOnce}) returning id`),
      ({ length }) => length === deletedAtOnce
    )

const forgetRecipients =
  (sql: PgClient.PgClient): Store["forgetRecipients"] =>
  (since) =>
    run(sql`delete from email_recipients where last_queued_at <= ${toDate(since)}`)

export const layer = Layer.effect(
  EmailQueueStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* SlowReads
    const signal = yield* MailSignal
    const wake = sql.afterCommit(Effect.asVoid(Queue.offer(signal, undefined)))
    const { find } = emailsOn(sql)
    const { list } = emailsOn(reads)

    return EmailQueueStore.of({
      enqueue: enqueue(sql, wake),
      take: take(sql),
      finish: finish(sql),
      giveBack: giveBack(sql),
      find,
      list,
      retry: retry(sql, wake),
      deleteOld: deleteOld(sql),
      forgetRecipients: forgetRecipients(sql)
    })
  })
)
