/** Mails as a test leaves them in the outbox, and the queue as administrators see it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Mail, Outbox } from "../../src/domain/mail/Outbox.ts"
import { type Client, ClientNetwork } from "../../src/domain/shared/Client.ts"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import { ok } from "../support/answers.ts"
import { Cast } from "../support/people.ts"

export const inTransaction = <A, E, R>(writes: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction, (transaction) => transaction(writes))

export const mail = (address: string, more: Partial<Mail> = {}): Mail => ({
  address,
  name: "Freya",
  subject: "Hello",
  text: "Hello, Freya.",
  html: "<p>Hello, Freya.</p>",
  ...more
})

export const stranger: Client = { network: ClientNetwork.make("203.0.113.1"), isKnown: false }

/** Leaves a mail in the outbox, by default for a stranger. */
export const enqueue = (address: string, more: Partial<Mail> = {}, client = stranger) =>
  Effect.flatMap(Outbox, (outbox) => inTransaction(outbox.enqueue(mail(address, more), client)))

/** The mails in the queue, newest first. */
export const queue = (query = "") =>
  Effect.flatMap(Cast, ({ odin }) => Effect.map(odin.get(`/admin/email-queue${query}`), ok))

/** The only mail to this address. */
export const itemTo = (address: string) =>
  Effect.map(queue(`?q=${encodeURIComponent(address)}`), ({ emails }) => emails[0])

export const retry = (id: string) =>
  Effect.flatMap(Cast, ({ odin }) => odin.post(`/admin/email-queue/${id}/attempt`))

/** What the database has of the mail to an address. */
export const rowOf = (address: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql`select status, text_body, html_body, due_at is not null as waits, tries, attempts from email_queue
        where recipient_address = ${address}`,
      ([row]) => row
    )
  )
