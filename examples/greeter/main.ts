/** Welcomes new members in a thread, and counts what they reply there. */
// Outside of this repository: from "forum-client/plugin"
import { connectPlugin, type PluginApi } from "../../src/client/Plugin.ts"

let greeting = "Welcome"

/** The account that the plugin acts as, and its thread, which it opens the first time. */
const start = async (api: PluginApi) => {
  const { id, handle } = await api.accounts.getOwn()
  const { threads } = await api.threads.list({ query: { author: handle } })
  const thread =
    threads[0] ??
    (await api.threads.create({
      payload: { title: "New here?", body: "<p>Say hello to all.</p>", visibility: "published" }
    }))
  return { self: id, thread_mark: thread.id }
}

let started: ReturnType<typeof start> | undefined
const own = (api: PluginApi) => {
  started ??= start(api)
  return started
}

/** Events come together; what they change is changed one after the other. */
let turn: Promise<unknown> = Promise.resolve()
const inTurn = (work: () => Promise<unknown>) => {
  const done = turn.then(work)
  turn = done.catch(() => {})
  return done
}

const greet = async (account: string, api: PluginApi) => {
  const { self, thread_mark } = await own(api)
  if (account === self) return
  const { name } = await api.profiles.get({ params: { account_handle: account } })
  const text = html(`${greeting}, `)
  const mention = `<a href="sdr:profile/${account}">${html(name)}</a>`
  await api.replies.reply({ params: { thread_mark }, payload: { body: `<p>${text}${mention}!</p>` } })
}

/** Text as HTML. */
const html = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const count = async (thread: string, author: string, api: PluginApi) => {
  const { self, thread_mark } = await own(api)
  if (thread !== thread_mark || author === self) return
  const { meta } = await api.threads.get({ params: { thread_mark } })
  const hellos = Number(meta.hellos ?? 0) + 1
  const title = `New here? ${hellos === 1 ? "One has" : `${hellos} have`} said hello`
  await api.threads.update({ params: { thread_mark }, payload: { title, meta: { ...meta, hellos } } })
}

const plugin = await connectPlugin({
  on: {
    EventAccountCreated: ({ id }, api) => inTurn(() => greet(id, api)),
    EventThreadReplyCreated: ({ reply_author_id, thread_id }, api) =>
      inTurn(() => count(thread_id, reply_author_id, api))
  },
  configure: (chosen) => {
    if (typeof chosen.greeting !== "string" || chosen.greeting.trim() === "") return false
    greeting = chosen.greeting
    return true
  },
  onError: (error) => process.stderr.write(`${error}\n`)
})

const { greeting: chosen } = await plugin.configuration(["greeting"])
if (typeof chosen === "string") greeting = chosen
await own(plugin.api)
process.stdout.write("The greeter is ready\n")
process.on("SIGINT", plugin.close)
