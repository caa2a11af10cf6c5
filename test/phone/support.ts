/** How people sign up and in with phone numbers, and what is left to be sent to them. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "../support/answers.ts"
import { call, guest, type Person, personIn } from "../support/people.ts"

/** The messages to a number that wait to be sent, in the order in which they were caused. */
export const textsTo = (number: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{
        readonly body: string
      }>`select body from text_messages where phone_number = ${number} order by id`,
      (rows) => rows.map(({ body }) => body)
    )
  )

export const lastTextTo = (number: string) =>
  Effect.map(textsTo(number), (texts) => texts.at(-1) ?? assert.fail(`There is no message to ${number}`))

/** The code in the last message to a number. */
export const codeTo = (number: string) =>
  Effect.map(
    lastTextTo(number),
    (text) => /^\d{6}(?= is your code for )/.exec(text)?.[0] ?? assert.fail(text)
  )

/** Lets there be messages again: the tests cause more of them than a day has. */
export const forgetTexts = SqlClient.SqlClient.use((sql) => sql`delete from text_message_counts`)

export const askForCode = (identifier: unknown, phone_number: unknown, search = "") =>
  guest.post(`/auth/phone${search}`, { identifier, phone_number })

export const sendBack = (handle: string, code: unknown) =>
  guest.put(`/auth/phone/${encodeURIComponent(handle)}`, { code })

/** Sends the last code to a number back. */
export const confirm = (handle: string, number: string) =>
  Effect.flatMap(codeTo(number), (code) => sendBack(handle, code))

/** Signs up with a number; no message counts any more then. */
export const phoneMember = Effect.fnUntraced(function* (handle: string, number: string) {
  ok(yield* askForCode(handle, number))
  const answer = yield* confirm(handle, number)
  ok(answer)
  yield* forgetTexts
  return personIn(answer) satisfies Person
})

/** What a client on this network asks, where proxies are trusted. */
export const from = (address: string) => {
  const headers = { "x-forwarded-for": address }
  return {
    ask: (identifier: string, phone_number: string) =>
      call("POST", "/api/auth/phone", { body: { identifier, phone_number }, headers }),
    sendBack: (handle: string, code: string) =>
      call("PUT", `/api/auth/phone/${handle}`, { body: { code }, headers })
  }
}
