/** Clients that send each request with a key until they see its answer, while what answers them is broken again and again. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert } from "vitest"
import { directory } from "../support/postgres.ts"
import { arrange, makeCategory } from "./arranging.ts"
import { type Chance, chanceOf } from "./chance.ts"
import { checkContent, checkStored, checkTold, type Stored } from "./checks.ts"
import { type Fared, makeClient, newFared } from "./client.ts"
import { discuss, openThread } from "./discussion.ts"
import { follow } from "./following.ts"
import { type Instance, startInstance } from "./instance.ts"
import { newLedger, writesOf } from "./ledger.ts"
import { type Network, startNetwork } from "./network.ts"
import type { Writer } from "./writing.ts"

/** What is chosen by chance follows from it. */
const seed = Number(process.env.KILLS_SEED ?? 1)

const accounts = 10

/** So many writes are acknowledged at most between one break and the next. */
const betweenMax = 60

/** The PostgreSQL of the services. */
export interface Storage extends Stored {
  /** Its `DATABASE_URL`. */
  readonly url: string
  readonly close: () => Promise<void>
}

export interface Run<Way extends string, Kept extends Storage> {
  /** How often something is broken. */
  readonly times: number
  readonly ways: ReadonlyArray<readonly [weight: number, Way]>
  readonly start: (dataDir: string) => Promise<Kept>
  readonly breakBy: (
    way: Way,
    storage: Kept,
    instances: ReadonlyArray<Instance>,
    chance: Chance
  ) => Promise<void>
  /** How many write threads and replies, and how many arrange categories. */
  readonly writers: { readonly discussing: number; readonly arranging: number }
}

/** For what hangs: a break takes a few seconds on a slow machine. */
export const timeoutOf = (times: number) => 600_000 + times * 30_000

const print = (line: string) => process.stdout.write(`${line}\n`)

/** Networks that the writers come from, each of which may run only some of its requests at the same time. */
const networkOf = (n: number) => ({ "x-forwarded-for": `198.51.100.${n}` })

const entriesOf = (counts: ReadonlyMap<unknown, number>) =>
  counts
    .entries()
    .map(([what, count]) => `${count} ${what}`)
    .toArray()
    .join(", ")

const reportOf = (
  { longest, refused, replayed, sent, unseen }: Fared,
  networks: ReadonlyArray<Network>,
  writes: ReadonlyMap<string, number>,
  broken: ReadonlyMap<string, number>
) => {
  const fates = new Map<string, number>()
  for (const network of networks) {
    for (const [fate, count] of network.fates) fates.set(fate, (fates.get(fate) ?? 0) + count)
  }
  print(`broken: ${entriesOf(broken)}`)
  print(`acknowledged: ${entriesOf(writes)}`)
  print(`connections: ${entriesOf(fates)}`)
  print(`requests: ${sent} sent, ${unseen} without an answer, ${replayed} answered as before`)
  print(`to be sent again, by status: ${entriesOf(refused)}`)
  print(`the longest time until an answer was seen: ${Math.round(longest / 1000)} s`)
}

/** Breaks two services over one PostgreSQL, and it. What was acknowledged is there then, and nothing is there twice. */
export const endure = async <Way extends string, Kept extends Storage>({
  breakBy,
  start,
  times,
  ways,
  writers
}: Run<Way, Kept>) => {
  const chance = chanceOf(seed)
  const own = () => chanceOf(chance.below(2 ** 32))
  const data = mkdtempSync(join(directory(), "forum-kills-"))
  // An unprivileged account may serve the data, and must be able to reach it.
  chmodSync(data, 0o711)
  const storage = await start(join(data, "storage"))
  const instances = ["one", "other"].map((name) =>
    startInstance({
      DATABASE_URL: storage.url,
      DATA_DIR: join(data, name),
      OAUTH_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
      TRUSTED_PROXIES: "127.0.0.1",
      RATE_LIMIT_EXEMPT: "127.0.0.0/8, 198.51.100.0/24"
    })
  )
  const networks = await Promise.all(instances.map(({ port }) => startNetwork(port, own())))
  const ports = [networks[0]?.port ?? 0, networks[1]?.port ?? 0] as const
  const fared = newFared()
  const client = makeClient(ports, own(), fared)
  const ledger = newLedger()
  const broken = new Map<Way, number>()
  const followers: Array<{ readonly leave: () => void }> = []

  try {
    const signUp = async (identifier: string, n: number) => {
      for (;;) {
        const port = instances[0]?.port()
        const answer = await fetch(`http://127.0.0.1:${port}/api/auth/password/signup`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ identifier, token: "a long password" })
        }).catch(() => undefined)
        const [cookie] = answer?.headers.getSetCookie()[0]?.split(";", 1) ?? []
        if (cookie !== undefined) return { cookie, ...networkOf(n) }
        if (answer !== undefined) throw new Error(`${identifier} could not sign up: ${await answer.text()}`)
        // It has not started yet.
        await setTimeout(100)
      }
    }
    const admin = await signUp("founder", 0)
    const members: Array<Readonly<Record<string, string>>> = []
    for (let n = 0; n < accounts; n++) members.push(await signUp(`member-${n}`, n + 1))

    const writerOf = (name: string, headers: Readonly<Record<string, string>>): Writer => ({
      name,
      headers,
      client,
      chance: own(),
      ledger
    })
    const founder = writerOf("founder", admin)
    const from = String((await client.read("/changes?after=latest", admin)).next)
    const follower = follow(ports, admin, from, own())
    followers.push(follower)
    const categories: Array<string> = []
    for (const name of ["Here", "There", "Elsewhere"]) categories.push((await makeCategory(founder, name)).id)
    const places = { busy: await openThread(founder, "Busy"), categories }

    let isOver = false
    const failures: Array<unknown> = []
    const over = () => isOver || failures.length > 0
    const writing = Promise.all([
      ...Array.from({ length: writers.discussing }, (_, n) =>
        discuss(writerOf(`member-${n}`, members[n % accounts] ?? admin), places, over)
      ),
      ...Array.from({ length: writers.arranging }, (_, n) =>
        arrange(writerOf(`admin-${n}`, admin), categories, over)
      )
    ]).catch((failure) => {
      failures.push(failure)
    })

    const begun = performance.now()
    for (let n = 1; n <= times && !over(); n++) {
      const next = writesOf(ledger) + chance.below(betweenMax)
      while (writesOf(ledger) < next && !over()) await setTimeout(5)
      const way = chance.weighed(ways)
      await breakBy(way, storage, instances, chance)
      broken.set(way, (broken.get(way) ?? 0) + 1)
      if (n % 10 === 0 || n === times) {
        print(`${n} times, ${writesOf(ledger)} writes, ${Math.round((performance.now() - begun) / 1000)} s`)
      }
    }
    isOver = true
    await writing
    reportOf(fared, networks, ledger.writes, broken)
    if (failures.length > 0) throw failures[0]

    await checkContent(client, admin, ledger)
    await checkStored(storage, ledger)
    await checkTold(client, admin, ledger, from, follower.told, async (last) => {
      while (!follower.told.some(({ id }) => id === last)) await setTimeout(20)
    })
    print(`${follower.told.length} changes were told over ${follower.connections()} connections`)
    assert.deepStrictEqual(
      instances.flatMap(({ ends }) => ends),
      []
    )
  } finally {
    for (const { leave } of followers) leave()
    for (const { close } of networks) close()
    await Promise.all(instances.map(({ stop }) => stop()))
    await storage.close()
    rmSync(data, { recursive: true, force: true })
  }
}
