/** A migration that fails keeps the service from starting, and says why in one line. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { startService } from "../support/child.ts"
import { copyOf } from "./support.ts"

const said =
  'Migration "1_baseline" failed: relation "accounts" already exists. The database is as it was: go on with the release that it was used with, and report this line.'

const startOver = async (settings: Readonly<Record<string, string>>) => {
  const url = await copyOf("template1")
  const create = PgClient.PgClient.use((sql) => sql`create table accounts (id text)`)
  await Effect.runPromise(
    Effect.scoped(Effect.provide(create, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
  )
  const service = startService({ DATABASE_URL: url, ...settings })
  assert.strictEqual(await service.exited, 1)
  return service
}

it("a failed migration is one line, with the trace where that is asked for", async () => {
  const service = await startOver({})
  assert.strictEqual(service.errors(), `${said}\n`)
  assert.deepStrictEqual(service.lines, [])
  const debugged = await startOver({ LOG_LEVEL: "Debug" })
  assert.strictEqual(debugged.errors(), `${said}\n`)
  const line = debugged.lines.find((text) => text.includes("Migration"))
  assert.match(debugged.lines.join("\n"), /already exists[\s\S]*\bat \S+/, line)
})
