/** The example of a plugin, connected from elsewhere, against a forum of a test. */
import { spawn } from "node:child_process"
import { assert, it } from "vitest"
import manifest from "../../examples/greeter/manifest.json" with { type: "json" }
import { startForum } from "../../src/testing/Testing.ts"

/** Looks again and again, for a minute. */
const looking = async <A>(look: () => Promise<A>, isSo: (found: A) => boolean): Promise<A> => {
  for (let looks = 0; looks < 600; looks++) {
    const found = await look()
    if (isSo(found)) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return assert.fail("It did not happen within a minute")
}

it("the greeter welcomes new members", async () => {
  await using forum = await startForum({ seed: 3 })
  const admin = await forum.administrator()
  const added = await fetch(`${forum.url}/api/plugins`, {
    method: "POST",
    headers: { ...admin.headers, "content-type": "application/json" },
    body: JSON.stringify({ mode: "external", manifest })
  })
  assert.strictEqual(added.status, 200)
  const { connection } = JSON.parse(await added.text())
  const child = spawn(process.execPath, ["examples/greeter/main.ts"], {
    env: {
      ...process.env,
      FORUM_RPC_URL: `${forum.url.replace("http", "ws")}/rpc?token=${connection.token}`
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()))
    const sif = await forum.account("sif")
    const find = async () => (await sif.api.threads.list({ query: { q: "New here" } })).threads
    const [thread] = await looking(find, (threads) => threads[0]?.reply_status.replies === 1)
    const { replies } = await sif.api.threads.get({ params: { thread_mark: thread?.id ?? "" } })
    assert.include(replies.replies[0]?.body, `sdr:profile/${sif.id}`)
  } finally {
    child.kill()
  }
})
