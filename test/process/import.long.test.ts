/** An import whose process is killed again and again becomes what one without a kill is, and the service shows it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, expect, it } from "vitest"
import { account, category, idOf, reply, rows, thread, writeInput } from "../operator/import/inputs.ts"
import { environment, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { freshDatabase } from "./support.ts"

const directory = mkdtempSync(join(tmpdir(), "forum-import-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const path = join(directory, "input")

const threads = 200
const repliesOfEach = 50

const community = {
  accounts: Array.from({ length: 1000 }, (_, number) =>
    account(number, { admin: number === 0, founder: number === 0 })
  ),
  categories: [category(1)],
  threads: Array.from({ length: threads }, (_, number) => thread(number, { category_id: idOf("c", 1) })),
  replies: Array.from({ length: threads * repliesOfEach }, (_, number) =>
    // Some in no thread.
    reply(number, Math.floor(number / repliesOfEach) + (number % 1000 === 999 ? threads : 0), {
      author_id: idOf("a", number % 1001)
    })
  )
}

/** Runs the command; kills it after so many milliseconds, if it still runs then. */
const run = async (settings: Readonly<Record<string, string>>, killedAfter?: number) => {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "src/operator/main.ts", "import", path],
    { env: { ...environment(), NO_COLOR: "1", ...settings }, stdio: ["ignore", "pipe", "pipe"] }
  )
  const told: Array<string> = []
  child.stdout.on("data", (bytes: Buffer) => told.push(String(bytes)))
  child.stderr.on("data", (bytes: Buffer) => told.push(String(bytes)))
  const timer = killedAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killedAfter)
  const [code] = await once(child, "close")
  clearTimeout(timer)
  return { code, told: told.join("") }
}

const contents = `select
    (select md5(string_agg((to_jsonb(p) - 'shown_in')::text, '' order by id)) from posts p) as posts,
    (select md5(string_agg(to_jsonb(t)::text, '' order by id)) from threads t) as threads,
    (select md5(string_agg(to_jsonb(a)::text, '' order by handle)) from accounts a) as accounts,
    (select md5(string_agg(to_jsonb(s)::text, '' order by id)) from search_texts s) as texts`

/** Whether anything was written, which is all in one transaction. There may be no tables yet. */
const isWritten = async (url: string) => {
  const asked = rows(url, "select exists (select from posts) as written")
  const [row] = await Effect.runPromise(Effect.catchCause(asked, () => Effect.succeed([])))
  return row?.written === true
}

it("an import that is killed at any time goes on", async () => {
  await Effect.runPromise(writeInput(path, community))
  const [whole, killed] = [await freshDatabase(), await freshDatabase()]
  const first = await run({ DATABASE_URL: whole, DATA_DIR: join(directory, "whole") })
  expect(first.code, first.told).toBe(0)
  const report = readFileSync(`${path}.report.ndjson`, "utf8")
  expect(report.split("\n").filter((line) => line.includes("parent_missing"))).toHaveLength(10)

  let kills = 0
  // Growing by shares: on a slow machine steps of one length would take minutes.
  for (let after = 300; ; after *= 1.25) {
    const { code, told } = await run({ DATABASE_URL: killed, DATA_DIR: join(directory, "killed") }, after)
    if (code !== null) {
      expect(code, told).toBe(0)
      break
    }
    kills += 1
    // All was written, and statistics were being gathered: a further import would say that everything is there.
    if (await isWritten(killed)) break
  }
  expect(kills).toBeGreaterThan(1)
  expect(await Effect.runPromise(rows(killed, contents))).toEqual(
    await Effect.runPromise(rows(whole, contents))
  )
  expect(readFileSync(`${path}.report.ndjson`, "utf8")).toBe(report)

  const service = startService({ DATABASE_URL: killed, DATA_DIR: join(directory, "killed"), PORT: "0" })
  try {
    const port = await service.listening()
    const get = async (address: string) => (await sendTo(port, { path: address })).json
    const list = await get("/api/threads")
    expect([list.results, list.total_pages]).toEqual([50, threads / 50])
    const one = await get(`/api/threads/${list.threads[0].slug}`)
    // One of the replies of some is in no thread.
    expect([repliesOfEach - 1, repliesOfEach]).toContain(one.reply_status.replies)
    expect(one.replies.replies[0].body).toContain("The text of reply")
    expect((await get("/api/categories")).categories[0].postCount).toBe(threads)
    const found = await get("/api/datagraph?q=reply+4242")
    expect(found.items.map(({ ref }: { readonly ref: { readonly id: string } }) => ref.id)).toContain(
      idOf("r", 4242)
    )
    expect((await get("/api/profiles?q=person-17")).profiles.length).toBeGreaterThan(0)
  } finally {
    service.process.kill("SIGTERM")
    await service.exited
  }
}, 300_000)
