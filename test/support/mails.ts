/** The mails that the service has left to be sent, which nothing sends in the tests. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export interface Mail {
  readonly recipient_name: string
  readonly subject: string
  readonly text_body: string
  readonly html_body: string
}

/** The mails to an address, in the order in which they were caused. */
export const mailsTo = (address: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<Mail>`select recipient_name, subject, text_body, html_body from email_queue
      where recipient_address = ${address} order by queued_at, id`
  )

export const lastMailTo = (address: string) =>
  Effect.map(mailsTo(address), (mails) => mails.at(-1) ?? assert.fail(`There is no mail to ${address}`))

/** The code in the last mail to an address. */
export const codeTo = (address: string) =>
  Effect.map(
    lastMailTo(address),
    ({ text_body }) => /verify your account: (\d{6})\b/.exec(text_body)?.[1] ?? assert.fail(text_body)
  )

/** Another code than this one. */
export const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0")

/** The link in the last mail to an address. */
export const linkTo = (address: string) =>
  Effect.map(
    lastMailTo(address),
    ({ text_body }) => new URL(/https?:\S+/.exec(text_body)?.[0] ?? assert.fail(text_body))
  )

/** The page that links lead to in the tests: on the host of the web address, with another port. */
export const resetPage = { url: "http://www.forum.test:3000/reset", query: "token" }

/** The token in the link in the last mail to an address. */
export const tokenTo = (address: string) =>
  Effect.map(linkTo(address), ({ searchParams }) => searchParams.get("token") ?? assert.fail("no token"))

/** Lets addresses be sent mails again: the tests cause more of them than an hour has. */
export const forgetMails = SqlClient.SqlClient.use((sql) => sql`delete from email_recipients`)
