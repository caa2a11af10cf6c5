/** A forum that has grown, in a database of which each service gets a copy. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { assert } from "vitest"
import { copyOf, freshDatabase } from "../process/support.ts"
import { startService } from "../support/child.ts"
import { call } from "./clients.ts"
import { seed } from "./seed.ts"

type Headers = Readonly<Record<string, string>>

export interface Forum {
  readonly database: string
  /** The thread that everybody reads. */
  readonly thread: string
  /** Another of the same member, which an attack may change. */
  readonly spare: string
  /** The headers of the administrator, and of a member. */
  readonly admin: Headers
  readonly member: Headers
}

const signUp = async (port: number, identifier: string) => {
  const { json, status } = await call(port, {
    method: "POST",
    path: "/api/auth/password/signup",
    body: { identifier, token: "a long password" }
  })
  assert.strictEqual(status, 200)
  return { cookie: String(json.cookie) }
}

const openThread = async (port: number, headers: Headers, title: string) => {
  const { json } = await call(port, {
    method: "POST",
    path: "/api/threads",
    headers,
    body: { title, body: "<p>Something to read.</p>", visibility: "published" }
  })
  return String(json.id)
}

/** What a statement answers in a database. */
export const rowsOf = (database: string, statement: string) => {
  const client = PgClient.layer({ url: Redacted.make(database), maxConnections: 1 })
  const asked = PgClient.PgClient.use((sql) => sql.unsafe<Record<string, unknown>>(statement))
  return Effect.runPromise(Effect.scoped(Effect.provide(asked, client)))
}

/** Lets a service make what services make, and writes the rest into its database. */
const build = async (): Promise<Forum> => {
  const directory = await mkdtemp(join(tmpdir(), "forum-abuse-"))
  const database = await freshDatabase()
  const service = startService({ DATABASE_URL: database, DATA_DIR: directory })
  try {
    const port = await service.listening()
    const admin = await signUp(port, "founder")
    const member = await signUp(port, "member")
    await seed(database)
    const thread = await openThread(port, member, "Everybody reads this")
    for (let n = 0; n < 50; n++) {
      const path = `/api/threads/${thread}/replies`
      const body = { body: `<p>Reply ${n}, of ordinary length.</p>` }
      await call(port, { method: "POST", path, headers: member, body })
    }
    const spare = await openThread(port, member, "This one changes")
    return { database, thread, spare, admin, member }
  } finally {
    service.process.kill("SIGTERM")
    await service.exited
    await rm(directory, { recursive: true, force: true })
  }
}

let built: Promise<Forum> | undefined

/** The forum, in a database of its own, with more written into it. */
export const copyForum = async (more: ReadonlyArray<string>): Promise<Forum> => {
  built ??= build()
  const forum = await built
  const database = await copyOf(new URL(forum.database).pathname.slice(1))
  if (more.length > 0) await seed(database, more)
  return { ...forum, database }
}
