/**
 * An import that is killed at random moments, again and again, becomes what one without a kill is: byte by byte, as an
 * export shows it. Another seed and more kills are taken from the environment: KILLS_SEED, KILLS.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll } from "vitest"
import { exportTo, filesIn } from "../operator/exports.ts"
import {
  account,
  asset,
  at,
  category,
  field,
  idOf,
  node,
  reply,
  rows,
  thread,
  value,
  version,
  writeInput
} from "../operator/import/inputs.ts"
import { makeRandom } from "../support/random.ts"
import { begin } from "./operators.ts"
import { freshDatabase } from "./support.ts"

const seed = Number(process.env.KILLS_SEED ?? 20_261_127)
const killsMin = Number(process.env.KILLS ?? 4)

// Then one goes on to its end: on a busy machine all might be killed too early.
const killsOfRound = 4

const directory = mkdtempSync(join(tmpdir(), "forum-import-kills-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const path = join(directory, "input")
const report = `${path}.report.ndjson`

const several = <A>(count: number, make: (number: number) => A) =>
  Array.from({ length: count }, (_, number) => make(number))

const files = several(5, (number) => Buffer.from(`The bytes of file ${number}`))

const people = 200
const threads = 50
const replies = 4000

/** Of most kinds something, and some of it odd. */
const community = {
  accounts: several(people, (number) => account(number, { admin: number === 0, founder: number === 0 })),
  assets: files.map((bytes, number) => asset(number, bytes)),
  categories: several(3, (number) => category(number)),
  nodes: several(40, (number) => node(number, number % 4 === 0 ? {} : { parent_id: idOf("p", number - 1) })),
  property_fields: [field(1, { parent_id: idOf("p", 0) })],
  property_values: [value(1, 1, "one")],
  node_versions: several(40, (number) => version(number, number % 20)),
  threads: several(threads, (number) => thread(number, { category_id: idOf("c", number % 4) })),
  replies: several(replies, (number) =>
    reply(number, Math.floor((number * (threads + 1)) / replies), {
      author_id: idOf("a", number % (people + 1)),
      body: `<p>Reply <b>${number}</b> <a href="https://site-${number % 50}.example/">there</a></p>`
    })
  ),
  likes: several(replies / 4, (number) => ({
    id: idOf("k", number),
    created_at: at(number),
    post_id: idOf("r", number * 4),
    account_id: idOf("a", number % people)
  })),
  audit: [
    { id: idOf("u", 1), occurred_at: at(1), type: "account_suspended", subject: { account_id: idOf("a", 2) } }
  ]
}

interface Instance {
  readonly url: string
  readonly dataDir: string
}

const instance = async (name: string): Promise<Instance> => ({
  url: await freshDatabase(),
  dataDir: join(directory, name)
})

/** Runs the command; kills it so many milliseconds after it says that it has begun. */
const importing = async ({ dataDir, url }: Instance, killedAfter?: number) => {
  const { child, ended } = begin({ DATABASE_URL: url, DATA_DIR: dataDir }, ["import", path])
  let told = ""
  let begun: number | undefined
  let timer: NodeJS.Timeout | undefined
  child.stderr.on("data", (bytes: Buffer) => {
    told += bytes
    if (begun !== undefined) return
    begun = performance.now()
    if (killedAfter !== undefined) timer = setTimeout(() => child.kill("SIGKILL"), killedAfter)
  })
  child.stdout.resume()
  const code = await ended
  clearTimeout(timer)
  return { code, told, took: performance.now() - (begun ?? 0) }
}

/** Whether the import is complete, as all of it is written at once; a further one would say that everything is there. */
const isWritten = async ({ url }: Instance) => {
  const [row] = await Effect.runPromise(rows(url, "select exists (select from posts) as written"))
  return row?.written === true
}

const exportOf = ({ dataDir, url }: Instance) =>
  Effect.gen(function* () {
    const target = join(dataDir, "export")
    yield* exportTo({ DATABASE_URL: url, DATA_DIR: dataDir }, target, { withAddresses: true })
    return yield* filesIn(target)
  })

it.effect(
  "an import that is killed at random goes on to the same bytes",
  () =>
    Effect.gen(function* () {
      process.stdout.write(`KILLS_SEED=${seed}\n`)
      const random = makeRandom(seed)
      yield* writeInput(path, community, files)
      const whole = yield* Effect.promise(() => instance("whole"))
      const first = yield* Effect.promise(() => importing(whole))
      assert.strictEqual(first.code, 0, first.told)
      const told = readFileSync(report, "utf8")
      assert.include(told, "parent_missing")
      const wanted = yield* exportOf(whole)
      let kills = 0
      for (let round = 0; kills < killsMin; round += 1) {
        const killed = yield* Effect.promise(() => instance(`killed-${round}`))
        yield* Effect.promise(async () => {
          for (let run = 0; !(await isWritten(killed)); run += 1) {
            const after = run < killsOfRound ? random(Math.ceil(first.took)) : undefined
            const { code, told } = await importing(killed, after)
            if (code === null) kills += 1
            else assert.strictEqual(code, 0, told)
          }
        })
        assert.strictEqual(readFileSync(report, "utf8"), told, `round ${round}`)
        assert.deepStrictEqual(yield* exportOf(killed), wanted, `round ${round}`)
      }
    }),
  600_000
)
