/** Signs in, lists threads and follows one of them live, with the typed client. */
import { Effect, Fiber, Stream } from "effect"
// Outside of this repository: from "forum-client"
import * as ForumClient from "../../src/client/Client.ts"

const forum = await Effect.runPromise(ForumClient.makeFetch({ baseUrl: import.meta.env.FORUM_URL }))

const one = (selector) => document.querySelector(selector)
const make = (name, properties) => Object.assign(document.createElement(name), properties)

/** Runs an effect; what it fails with is a problem of the service, or of the way there. */
const run = (effect) =>
  Effect.runFork(
    Effect.catch(effect, (failure) =>
      Effect.sync(() => {
        one("#message").textContent = failure.title ?? failure.message
      })
    )
  )

const fieldsOf = (event) => {
  event.preventDefault()
  return Object.fromEntries(new FormData(event.target))
}

/** Shows the newest replies of a thread. */
const show = Effect.fn(function* (thread_mark) {
  const first = yield* forum.threads.get({ params: { thread_mark } })
  const page = String(first.replies.total_pages)
  const { replies } = yield* forum.threads.get({ params: { thread_mark }, query: { page } })
  one("#thread").hidden = false
  one("#thread h2").textContent = first.title
  one("#thread div").replaceChildren(
    ...replies.replies.map(({ author, body }) => {
      const article = make("article", {})
      // The service has made the HTML of posts harmless.
      article.append(make("strong", { textContent: author.name }), make("div", { innerHTML: body }))
      return article
    })
  )
})

/** Shows a thread, again with each change of its replies. */
const follow = Effect.fn(function* (id) {
  // From before it is read, so that nothing is missed in between.
  const { next: after } = yield* forum.changes.list({ query: { after: "latest" } })
  yield* show(id)
  const events = ["EventThreadReplyCreated", "EventThreadReplyUpdated", "EventThreadReplyDeleted"]
  yield* ForumClient.changes(forum, { after, events }).pipe(
    Stream.filter(({ event }) => event.thread_id === id),
    Stream.runForEach(() => show(id))
  )
})

/** The thread that is shown, and what follows it. */
let followed

const open = (id) => {
  if (followed !== undefined) run(Fiber.interrupt(followed.fiber))
  followed = { id, fiber: run(follow(id)) }
}

const list = Effect.gen(function* () {
  const { threads } = yield* forum.threads.list()
  one("#threads").replaceChildren(
    ...threads.map(({ id, title }) => {
      const item = make("li", {})
      item.append(make("button", { textContent: title, onclick: () => open(id) }))
      return item
    })
  )
})

const signIn = Effect.fn(function* (payload) {
  yield* forum.auth.signIn({ payload })
  one("#sign-in").hidden = true
  one("#message").textContent = `Signed in as ${payload.identifier}`
  yield* list
})

const reply = Effect.fn(function* (form, payload) {
  // A reply that is sent again with its key is written once.
  const idempotencyKey = crypto.randomUUID()
  const written = forum.replies.reply({ params: { thread_mark: followed.id }, payload, idempotencyKey })
  yield* Effect.retry(written, { times: 3, while: ({ _tag }) => _tag === "HttpClientError" })
  form.reset()
})

one("#sign-in").onsubmit = (event) => run(signIn(fieldsOf(event)))
one("#reply").onsubmit = (event) => run(reply(event.target, fieldsOf(event)))
run(list)
