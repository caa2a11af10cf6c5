/** Fills an empty database with the forum that is measured, by the code of the side that knows its schema. */
import { Effect, Schedule, Schema } from "effect"
import { BenchFailure } from "./BenchFailure.ts"
import { run } from "./processes.ts"
import { idOf, sessionToken, staffToken } from "./seed.ts"
import { type Side, serve } from "./sides.ts"

/** The cookie of the seeded account whose requests are signed in. */
export const cookie = { cookie: `forum-session=${sessionToken}` }

/** The cookie of the administrator. */
export const staffCookie = { cookie: `forum-session=${staffToken}` }

/** A member whose password is known. */
export const answerer = { identifier: "answerer", token: "a password of the bench" }

const answers = 200

/**
 * Runs a checkout's own seed with its own libraries. Node resolves the imports
 * of a program given by `--eval` from its working directory.
 */
const seeding = `
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { seed } from "./bench/seed.ts"

const client = PgClient.layer({ url: Redacted.make(process.env.DATABASE_URL), maxConnections: 1 })
await Effect.runPromise(Effect.provide(seed, client))
`

/** Calls an operation of the service at an address, which must succeed. */
export const request = (url: string, path: string, init: RequestInit) =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(`${url}/api${path}`, init)
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      return response
    },
    catch: (cause) => new BenchFailure({ message: `${path}: ${cause}` })
  })

const post = (url: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  request(url, path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers }
  })

const Account = Schema.fromJsonString(Schema.Struct({ notifications: Schema.Int }))

const countNotifications = Effect.fnUntraced(function* (url: string) {
  const answer = yield* request(url, "/accounts", { headers: cookie })
  const text = yield* Effect.promise(() => answer.text())
  const account = yield* Schema.decodeEffect(Account)(text)
  return account.notifications
})

/** Waits until no more notifications come, of which there must be some. */
const untilNotified = Effect.fnUntraced(function* (url: string) {
  let last = 0
  yield* Effect.repeat(countNotifications(url), {
    schedule: Schedule.spaced("1 second"),
    until: (count) => {
      const isComplete = count > 0 && count === last
      last = count
      return isComplete
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: "1 minute",
      orElse: () => Effect.fail(new BenchFailure({ message: "The replies caused no notifications" }))
    })
  )
})

/** A new member answers the seeded account's threads, so that it has notifications, whatever the schema. */
const notify = Effect.fnUntraced(function* (url: string) {
  const signedUp = yield* post(url, "/auth/password/signup", answerer)
  const session = { cookie: (signedUp.headers.get("set-cookie") ?? "").replace(/;.*$/, "") }
  for (let n = 0; n < answers; n++) {
    yield* post(
      url,
      `/threads/${idOf("t", (n % 2) * 5000)}/replies`,
      { body: `<p>Answer ${n}.</p>` },
      session
    )
  }
  yield* untilNotified(url)
})

/** The service migrates, the side's seed fills the tables, and the service does the rest. */
export const fill = Effect.fn("fill")(function* (side: Side, databaseUrl: string) {
  yield* Effect.scoped(serve(side, databaseUrl))
  yield* run({
    command: process.execPath,
    args: ["--input-type=module", "--eval", seeding],
    directory: side.directory,
    env: { DATABASE_URL: databaseUrl }
  })
  yield* Effect.scoped(Effect.flatMap(serve(side, databaseUrl), ({ url }) => notify(url)))
})
