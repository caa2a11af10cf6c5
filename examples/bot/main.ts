/** Answers every mention of its account, once. */
import { Config, Effect, Option, Schedule, Stream } from "effect"
import * as ForumClient from "forum-client"
import type { Notification } from "forum-client/domain/notification/Notification"
import type { Post } from "forum-client/domain/thread/Post"

const settings = Config.all({
  baseUrl: Config.String("FORUM_URL").pipe(Config.withDefault("http://localhost:8000")),
  handle: Config.String("BOT_HANDLE").pipe(Config.withDefault("helpful-bot")),
  password: Config.String("BOT_PASSWORD")
})

const answer = "<p>Thank you for asking. Somebody who knows will answer soon.</p>"

const makeBot = Effect.gen(function* () {
  const { baseUrl, handle, password } = yield* settings
  const forum = yield* ForumClient.makeFetch({ baseUrl })
  const payload = { identifier: handle, token: password }
  const { id: self } = yield* forum.auth
    .signIn({ payload })
    .pipe(Effect.catchTag("HandleUnknown", () => forum.auth.signUp({ payload })))

  /** Every reply in a thread, a page at a time. */
  const repliesIn = (thread_mark: string) =>
    Stream.paginate(1, (page) =>
      Effect.map(
        forum.threads.get({ params: { thread_mark }, query: { page: String(page) } }),
        ({ replies }) => [replies.replies, Option.fromNullishOr(replies.next_page)] as const
      )
    )

  /** A bot that was stopped between its reply and marking the notification finds the reply by its `meta`. */
  const hasAnswered = (notification: Notification, thread_mark: string) =>
    repliesIn(thread_mark).pipe(
      Stream.filter(({ author, meta }) => author.id === self && meta.answers === notification.id),
      Stream.runHead,
      Effect.map(Option.isSome)
    )

  const reply = Effect.fnUntraced(function* (notification: Notification, { slug }: Post) {
    if (yield* hasAnswered(notification, slug)) return
    yield* forum.replies.reply({
      params: { thread_mark: slug },
      payload: { body: answer, meta: { answers: notification.id } }
    })
    yield* Effect.logInfo(`Answered ${notification.source?.handle} in ${slug}`)
  })

  const handleMention = Effect.fnUntraced(function* (notification: Notification) {
    if (notification.item?.kind === "post") {
      yield* reply(notification, notification.item.ref).pipe(
        // Deleted or hidden since: nobody waits for an answer there.
        Effect.catchTag(["ThreadNotFound", "ThreadHidden"], ({ title }) => Effect.logWarning(title))
      )
    }
    yield* forum.notifications.update({
      params: { notification_id: notification.id },
      payload: { status: "read" }
    })
  })

  /** Answers the mentions that are unread now. */
  const round = Effect.gen(function* () {
    const { notifications } = yield* forum.notifications.list({ query: { status: ["unread"] } })
    const mentions = notifications.filter(({ event }) => event === "profile_mention")
    yield* Effect.forEach(mentions, handleMention, { discard: true })
  })

  return { round }
})

const main = Effect.gen(function* () {
  const { round } = yield* makeBot
  if (process.argv.includes("--once")) return yield* round
  yield* round.pipe(
    Effect.catchCause((cause) => Effect.logError("This round failed; the next one tries again", cause)),
    Effect.repeat(Schedule.spaced("15 seconds"))
  )
})

await Effect.runPromise(main)
