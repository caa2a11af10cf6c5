import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Queue } from "effect"
import type { TextMessageId } from "../../domain/shared/Id.ts"
import { SmsQueueStore, SmsSignal } from "../../domain/sms/SmsQueueStore.ts"
import { locking } from "../shared/Locks.ts"
import { first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"

interface TakenRow {
  readonly id: TextMessageId
  readonly phone_number: string
  readonly body: string
  readonly valid_until: Date
  readonly tries: number
}

type Store = SmsQueueStore["Service"]

const count = (sql: PgClient.PgClient): Store["count"] =>
  Effect.fnUntraced(function* (name, limit, since, at) {
    const counting = sql`unnest(c.queued) one where one > ${toDate(since)}`
    // Two messages of one name are counted one after the other, by the lock of its row.
    const isCounted = yield* some(
      locking("text count")(sql`insert into text_message_counts as c (name, queued, last_queued_at)
        values (${name}, array[${toDate(at)}::timestamptz], ${toDate(at)})
        on conflict (name) do update set last_queued_at = excluded.last_queued_at,
          queued = array_append(array(select one from ${counting} order by one), ${toDate(at)}::timestamptz)
          where (select count(*) from ${counting}) < ${limit}
        returning name`)
    )
    if (isCounted) return Option.none()
    const row = yield* first(
      sql<{ readonly oldest: Date | null }>`select (select min(one) from ${counting}) as oldest
        from text_message_counts c where name = ${name}`
    )
    return Option.some(row === undefined || row.oldest === null ? at : toDateTime(row.oldest))
  })

const take = (sql: PgClient.PgClient): Store["take"] =>
  Effect.fnUntraced(function* (at, until) {
    // Other instances take others: nobody waits for a row.
    const row =
      yield* first(sql<TakenRow>`update text_messages set tries = tries + 1, due_at = ${toDate(until)}
      where id = (select id from text_messages where due_at <= ${toDate(at)}
        order by due_at, id limit 1 for update skip locked)
      returning id, phone_number, body, valid_until, tries`)
    return (
      row && {
        message: { id: row.id, to: row.phone_number, text: row.body },
        validUntil: toDateTime(row.valid_until),
        tries: row.tries
      }
    )
  })

export const layer = Layer.effect(
  SmsQueueStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const signal = yield* SmsSignal
    const wake = sql.afterCommit(Effect.asVoid(Queue.offer(signal, undefined)))

    return SmsQueueStore.of({
      count: count(sql),

      enqueue: ({ id, text, to }, validUntil, at) =>
        run(sql`insert into text_messages (id, queued_at, phone_number, body, valid_until, due_at)
          values (${id}, ${toDate(at)}, ${to}, ${text}, ${toDate(validUntil)}, ${toDate(at)})`).pipe(
          Effect.andThen(wake)
        ),

      take: take(sql),

      finish: ({ message: { id }, tries }, dueAt) =>
        run(
          locking("text message")(
            dueAt === undefined
              ? sql`delete from text_messages where id = ${id} and tries = ${tries}`
              : sql`update text_messages set due_at = ${toDate(dueAt)} where id = ${id} and tries = ${tries}`
          )
        ),

      giveBack: ({ message: { id }, tries }, at) =>
        run(
          locking("text message")(sql`update text_messages set due_at = ${toDate(at)}, tries = tries - 1
            where id = ${id} and tries = ${tries}`)
        ),

      deleteOld: (countedBefore, validBefore) =>
        Effect.andThen(
          run(sql`delete from text_message_counts where last_queued_at <= ${toDate(countedBefore)}`),
          run(sql`delete from text_messages where valid_until <= ${toDate(validBefore)}`)
        )
    })
  })
)
