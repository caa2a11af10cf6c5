/** A migration that fails keeps the service from starting, and says why in one line. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { startService } from "../support/child.ts"
import { copyOf, freshDatabase } from "./support.ts"

const said =
  'Migration "1_baseline" failed: relation "accounts" already exists. The database is as it was: go on with the release that it was used with, and report this line.'

const run = (url: string, statement: string) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.provide(
        PgClient.PgClient.use((sql) => sql.unsafe(statement)),
        PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
      )
    )
  )

const startOver = async (settings: Readonly<Record<string, string>>) => {
  const url = await copyOf("template1")
  await run(url, "create table accounts (id text)")
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

it("a service starts over a database of a newer release, as while instances are upgraded, and says so", async () => {
  const url = await freshDatabase()
  await run(url, "insert into migrations (migration_id, name) values (9999, 'of_tomorrow')")
  const service = startService({ DATABASE_URL: url })
  await service.listening()
  const warnings = service.lines.filter((line) => line.includes("newer release"))
  assert.lengthOf(warnings, 1)
  assert.match(warnings[0] ?? "", /The database is of a newer release \(it has of_tomorrow\).*"level":"WARN"/)
  service.process.kill("SIGTERM")
  assert.strictEqual(await service.exited, 0)
})

it("a database with another history of migrations is not used", async () => {
  const url = await freshDatabase()
  await run(url, "update migrations set name = 'accounts' where migration_id = 1")
  const service = startService({ DATABASE_URL: url })
  assert.strictEqual(await service.exited, 1)
  assert.strictEqual(
    service.errors(),
    "The database was made by an unreleased version (it has migration 1_accounts). Give the service an empty one.\n"
  )
})
