/** What a program does with the installed client, against a new instance: `node steps.ts <address> <step>`. */
import { Effect, Schedule } from "effect"
import * as ForumClient from "forum-client"
import { ThreadNotFound } from "forum-client/domain/thread/Thread"

declare const process: { readonly argv: ReadonlyArray<string>; readonly env: Record<string, string> }

const [, , baseUrl = "", step] = process.argv

const check = (condition: boolean, message: string) =>
  condition ? Effect.void : Effect.die(new Error(message))

const odin = { identifier: "odin", token: "correct horse battery" }
const bot = { identifier: "bot", token: process.env.BOT_PASSWORD ?? "" }

const firstSteps = Effect.gen(function* () {
  const forum = yield* ForumClient.makeFetch({ baseUrl })
  yield* Effect.log(`version ${yield* forum.instance.version()}`)
  yield* forum.auth.signUp({ payload: odin })
  const { id: botId } = yield* (yield* ForumClient.makeFetch({ baseUrl })).auth.signUp({ payload: bot })

  const thread = yield* forum.threads.create({
    payload: {
      title: "Is anybody here?",
      body: `<p><a href="sdr:profile/${botId}">bot</a>, are you?</p>`,
      visibility: "published"
    }
  })
  const params = { thread_mark: thread.slug }
  const first = yield* forum.threads.get({ params, ifNoneMatch: undefined })
  yield* check(first._tag === "Modified" && first.body.title === thread.title, "the thread was not read")
  const again = yield* forum.threads.get({ params, ifNoneMatch: first.etag })
  yield* check(again._tag === "NotModified", "the same thread was read twice")

  const failure = yield* Effect.flip(forum.threads.get({ params: { thread_mark: "nowhere" } }))
  yield* check(failure instanceof ThreadNotFound, "the failure is not an instance of its class")
})

const asBot = Effect.gen(function* () {
  const forum = yield* ForumClient.makeFetch({ baseUrl })
  yield* forum.auth.signIn({ payload: bot })
  return forum
})

/** Waits until the bot has been notified, which happens after the request that mentions it. */
const awaitMention = Effect.gen(function* () {
  const forum = yield* asBot
  yield* forum.notifications
    .list({ query: { status: ["unread"] } })
    .pipe(
      Effect.repeat({ until: ({ results }) => results > 0, schedule: Schedule.spaced("50 millis") }),
      Effect.timeout("20 seconds")
    )
})

/** As if the bot had been stopped after its reply and before it marked the notification. */
const forgetMark = Effect.gen(function* () {
  const forum = yield* asBot
  const { notifications } = yield* forum.notifications.list()
  yield* check(notifications.length === 1, `the bot has ${notifications.length} notifications`)
  yield* forum.notifications.updateMany({
    payload: { notifications: notifications.map(({ id }) => ({ id, status: "unread" as const })) }
  })
})

const steps: Record<string, Effect.Effect<void, unknown>> = { firstSteps, awaitMention, forgetMark }

await Effect.runPromise(steps[step ?? ""] ?? Effect.die(new Error(`There is no step ${step}`)))
