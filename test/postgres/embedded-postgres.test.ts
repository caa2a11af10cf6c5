import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { start } from "../../src/layers/postgres/EmbeddedPostgres.ts"
import { temporaryDirectory, usedDirectory } from "./data-directories.ts"
import {
  createNotes,
  eventually,
  note,
  notes,
  processesIn,
  run,
  serving,
  setting,
  settings
} from "./server.ts"

const permissions = (path: string) => statSync(path).mode & 0o777

describe("the embedded PostgreSQL", () => {
  it.live("starts without a data directory, stops, and starts again with its data", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporaryDirectory, "data")
      const first = yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          yield* createNotes(connection)
          yield* note(connection, "kept")
          return connection
        })
      )
      expect(processesIn(join(dataDir, "postgres"))).toEqual([])
      expect(permissions(join(dataDir, "postgres"))).toBe(0o700)
      expect(permissions(join(dataDir, "postgres.password"))).toBe(0o600)

      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          expect(Redacted.value(connection.password)).toBe(Redacted.value(first.password))
          expect(yield* notes(connection)).toEqual(["kept"])
          expect(yield* setting(connection, "TimeZone")).toBe("UTC")
          expect(yield* setting(connection, "random_page_cost")).toBe("1.1")
          expect(yield* setting(connection, "listen_addresses")).toBe("")
          expect(yield* setting(connection, "fsync")).toBe("off")
        })
      )
    })
  )

  it.live("requires the password, and sets a new one when the file is missing", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectory
      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          const wrong = { ...connection, password: Redacted.make("wrong") }
          expect((yield* Effect.flip(notes(wrong))).reason._tag).toBe("AuthenticationError")
        })
      )
      rmSync(join(dataDir, "postgres.password"))
      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          expect(yield* notes(connection)).toEqual([])
        })
      )
    })
  )

  it.live("has a socket for its own account only, and keeps what people write out of its log", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectory
      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          expect(permissions(join(connection.host, `.s.PGSQL.${connection.port}`))).toBe(0o700)
          yield* run(connection, "create unique index once on note (text)")
          const insert = run(connection, "insert into note values ('what somebody wrote')")
          yield* insert
          expect((yield* Effect.flip(insert)).reason._tag).toBe("UniqueViolation")
        })
      )
      const log = readFileSync(join(dataDir, "postgres.log"), "utf8")
      expect(log).toContain('violates unique constraint "once"')
      expect(log).not.toContain("what somebody wrote")
    })
  )

  it.live("uses a temporary directory for its socket when the path of the data directory is too long", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporaryDirectory, "long ".repeat(30), "data, 'quoted'")
      const host = yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          yield* createNotes(connection)
          expect(connection.host).not.toContain(dataDir)
          expect(permissions(connection.host)).toBe(0o700)
          return connection.host
        })
      )
      expect(existsSync(host)).toBe(false)
    })
  )

  it.live("listens on a loopback port when sockets are not available", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectory
      yield* serving({ dataDir, transport: "tcp" }, (connection) =>
        Effect.gen(function* () {
          expect(connection.host).toBe("127.0.0.1")
          process.kill(Number(processesIn(join(dataDir, "postgres"))[0]), "SIGKILL")
          expect(yield* eventually(notes(connection))).toEqual([])
        })
      )
    })
  )

  it.live("refuses to start twice on one data directory, and does not disturb the first server", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectory
      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          const error = yield* start({ dataDir, settings }).pipe(Effect.scoped, Effect.flip)
          expect(error.message).toContain("Another service uses the data directory")
          expect(yield* notes(connection)).toEqual([])
        })
      )
    })
  )

  it.live("reports a failed start in one line that names the alternative", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectory
      const wrong = { ...settings, shared_buffers: "nonsense" }
      const error = yield* start({ dataDir, settings: wrong }).pipe(Effect.scoped, Effect.flip)
      expect(error._tag).toBe("EmbeddedPostgresError")
      expect(error.message).toContain('invalid value for parameter "shared_buffers"')
      expect(error.message).toContain("DATABASE_URL")
      expect(error.message).not.toContain("\n")
    })
  )

  it.live("removes the files of an interrupted first start", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      const unfinished = join(dataDir, "postgres.new-AbCdEf")
      mkdirSync(join(unfinished, "base"), { recursive: true })
      yield* serving({ dataDir }, createNotes)
      expect(existsSync(unfinished)).toBe(false)
      expect(readFileSync(join(dataDir, "postgres", "PG_VERSION"), "utf8")).toBe("18\n")
    })
  )
})
