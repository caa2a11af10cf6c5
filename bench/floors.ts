/** Starts the floors that the service is measured against. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import { cookie } from "./forum.ts"
import type { Load } from "./load.ts"
import { listen } from "./processes.ts"
import { type Answered, bodyOf, record } from "./recorder.ts"
import { growing, lastPage, replyTo, type Scenario, sample, shelvesSample } from "./scenarios.ts"
import { nodeFlags } from "./sides.ts"
import type { Target } from "./spans.ts"

const thread = `/api/threads/${sample[0]}`

/** One request for each page of the floors. The write comes first, so that it does not change what is read. */
const requests = {
  reply: replyTo(growing[0] ?? ""),
  guest: { path: thread },
  member: { path: thread, headers: cookie },
  first: { path: "/api/threads", headers: cookie },
  last: { path: `/api/threads?page=${lastPage}`, headers: cookie }
}

const recordingFile = (recorded: ReadonlyMap<string, Answered>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = mkdtempSync(join(tmpdir(), "forum-bench-"))
      const statements = [...recorded].map(([name, { body, ...statements }]) => [name, statements])
      const file = join(directory, "recorded.json")
      writeFileSync(file, JSON.stringify(Object.fromEntries(statements)))
      return { directory, file }
    }),
    ({ directory }) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

/** A floor with other answers than the service's is none. */
const check = Effect.fnUntraced(function* (url: string, recorded: ReadonlyMap<string, Answered>) {
  for (const name of ["guest", "member", "first", "last"]) {
    const answer = yield* bodyOf(url, { path: `/by-hand/${name}/${sample[0]}` })
    if (!isDeepStrictEqual(answer, recorded.get(name)?.body))
      yield* Effect.logWarning(`The floor written by hand answers "${name}" differently from the service`)
  }
})

/** A process with all floors, over a database of its own. */
export const startFloors = Effect.fn("startFloors")(function* (database: {
  readonly database: string
  readonly url: string
}) {
  const recorded = yield* record(database.url, requests)
  const { file } = yield* recordingFile(recorded)
  const { pid, url } = yield* listen(
    {
      command: process.execPath,
      args: [...(yield* nodeFlags), join(import.meta.dirname, "floor.ts"), file],
      directory: import.meta.dirname,
      env: { DATABASE_URL: database.url }
    },
    "/by-hand/version/"
  )
  yield* check(url, recorded)
  return { pid, url, database: database.database }
})

const idsOf = (floor: Scenario["floor"], plain: Scenario["plain"]) => {
  if (plain === "nodes") return shelvesSample
  return floor === "reply" ? growing : sample
}

/** The requests to the floors that belong to a scenario. */
export const floorTurns = ({ floor, plain }: Scenario, process: Omit<Target, "name">) => {
  const ids = idsOf(floor, plain)
  const turn = (name: Target["name"], page: string) => ({
    target: { ...process, name },
    load: { requests: ids.map((id) => ({ path: `/${page}/${id}` })) } satisfies Load,
    before: Effect.void
  })
  return [
    ...(floor === undefined || floor === "version" ? [] : [turn("recorded", `recorded/${floor}`)]),
    ...(floor === undefined ? [] : [turn("by hand", `by-hand/${floor}`)]),
    ...(plain === undefined ? [] : [turn("plain", `by-hand/${plain}`)])
  ]
}
