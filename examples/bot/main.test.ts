/** The bot against a forum that exists for this test: `npm test`. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { after, beforeEach, test } from "node:test"
import { promisify } from "node:util"
// biome-ignore lint/correctness/noUndeclaredDependencies: it is in no registry, and is installed as README.md says.
import { startForum } from "forum-service/testing"

const forum = await startForum({ seed: 42 })
after(() => forum.stop())
beforeEach(() => forum.reset())

/** One round of the bot, which signs up in the first one. */
const round = () =>
  promisify(execFile)(process.execPath, ["main.ts", "--once"], {
    env: { ...process.env, FORUM_URL: forum.url, BOT_HANDLE: "bot", BOT_PASSWORD: "a long password" }
  })

const mentioned = async () => {
  await round()
  const freya = await forum.account("freya")
  const bot = await freya.api.profiles.get({ params: { account_handle: "bot" } })
  const body = `<p>Are you there, <a href="sdr:profile/${bot.id}">bot</a>?</p>`
  return { freya, thread: await forum.thread({ by: freya, body }) }
}

const answersIn = async ({ freya, thread }: Awaited<ReturnType<typeof mentioned>>) => {
  const { replies } = await freya.api.threads.get({ params: { thread_mark: thread.id } })
  return replies.replies.filter(({ author }) => author.handle === "bot").length
}

test("answers who mentions it, once", async () => {
  const question = await mentioned()
  assert.equal(await answersIn(question), 0)
  await round()
  await round()
  assert.equal(await answersIn(question), 1)
  const { notifications } = await question.freya.api.notifications.list({})
  assert.deepEqual(
    notifications.map(({ event, source }) => [event, source?.handle]),
    [["thread_reply", "bot"]]
  )
})

test("fails while the database is away, and answers afterwards", async () => {
  const question = await mentioned()
  forum.faults.set({ database: "away" })
  await assert.rejects(round())
  forum.faults.clear()
  await round()
  assert.equal(await answersIn(question), 1)
})
