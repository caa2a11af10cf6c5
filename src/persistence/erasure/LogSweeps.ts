/** What names an account where no key leads to it: queues, logs and answers that are kept. */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { Sweep } from "../../domain/erasure/RemainsStore.ts"
import { recipientKey } from "../../domain/mail/MailText.ts"
import { first, run } from "../shared/Query.ts"

/** How many events are looked at together. */
const eventsAtOnce = 20_000n

const once = (name: string, step: (account: string) => Effect.Effect<void>): Sweep => ({
  name,
  step: ({ accountId }) => Effect.as(step(accountId), false)
})

/** Mails to the addresses of the account, and how many it was sent. */
const deleteMails = (sql: PgClient.PgClient): Sweep => ({
  name: "mails",
  step: ({ known }) =>
    Option.match(known, {
      onNone: () => Effect.succeed(false),
      onSome: ({ addresses }) =>
        Effect.as(
          Effect.andThen(
            run(sql`delete from email_queue where recipient_address = any(${addresses}::text[])`),
            run(sql`delete from email_recipients where address = any(${addresses.map(recipientKey)}::text[])`)
          ),
          false
        )
    })
})

const deleteTextMessages = (sql: PgClient.PgClient) =>
  once("text messages", (account) =>
    Effect.andThen(
      run(sql`delete from text_messages m using phone_numbers p
        where p.account_id = ${account} and m.phone_number = p.phone_number`),
      run(sql`delete from text_message_counts c using phone_numbers p
        where p.account_id = ${account} and c.name = 'number ' || p.phone_number`)
    )
  )

/** The log of events, from its beginning, in parts: each is quick, and others write to the log meanwhile. */
const rewriteEvents = (sql: PgClient.PgClient) =>
  once(
    "event_log",
    Effect.fnUntraced(function* (account) {
      const extent = yield* first(sql<{ readonly first: bigint | null; readonly last: bigint | null }>`
        select min(id) as first, max(id) as last from event_log`)
      const { first: beginning = null, last = null } = extent ?? {}
      if (beginning === null || last === null) return
      for (let from = BigInt(beginning); from <= BigInt(last); from += eventsAtOnce) {
        yield* run(sql`update event_log set actor_id = nullif(actor_id, ${account}),
            event = without_account(event, ${account})
          where id >= ${from} and id < ${from + eventsAtOnce}
            and (actor_id = ${account} or position(${account} in event::text) > 0)`)
      }
    })
  )

const rewriteAudit = (sql: PgClient.PgClient) =>
  once("audit_events", (account) =>
    run(sql`update audit_events set subject = without_account(subject, ${account})
      where position(${account} in subject::text) > 0`)
  )

/** What others were answered is withheld from who repeats a request, as what is too large is. */
const withholdAnswers = (sql: PgClient.PgClient) =>
  once("idempotency_keys", (account) =>
    run(sql`update idempotency_keys set content_type = null, location = null, etag = null, body = null,
        made_id = nullif(made_id, ${account})
      where position(convert_to(${account}, 'UTF8') in body) > 0 or position(${account} in location) > 0
        or made_id = ${account}`)
  )

const renamePeople = (sql: PgClient.PgClient) =>
  once("thread_references", (account) =>
    run(sql`update thread_references set people = array_replace(people, ${account}, nobody())
      where people @> array[${account}::text]`)
  )

const deleteGuesses = (sql: PgClient.PgClient) =>
  once("oauth_device_guesses", (account) =>
    run(sql`delete from oauth_device_guesses where name = 'account ' || ${account}::text`)
  )

export const makeQueueSweeps = (sql: PgClient.PgClient): ReadonlyArray<Sweep> => [
  deleteMails(sql),
  deleteTextMessages(sql)
]

export const makeLogSweeps = (sql: PgClient.PgClient): ReadonlyArray<Sweep> => [
  renamePeople(sql),
  deleteGuesses(sql),
  withholdAnswers(sql),
  rewriteEvents(sql),
  rewriteAudit(sql)
]
