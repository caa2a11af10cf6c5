import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { namespacesWork, unprivilegedAccount } from "../../src/layers/postgres/RunAs.ts"
import { temporaryDirectory, usedDirectory } from "./data-directories.ts"
import { createNotes, isRoot, note, notes, postmasterOf, serving } from "./server.ts"

/** A data directory that other users cannot reach, and a directory that they can reach. */
const directories = Effect.gen(function* () {
  const home = yield* temporaryDirectory
  const secret = join(home, "secret")
  mkdirSync(secret, { mode: 0o700 })
  return { secret, dataDir: join(secret, "data"), outside: [join(home, "outside")] }
})

const userOf = (home: string) => statSync(`/proc/${postmasterOf(home)}`).uid

const asOrdinaryUser = () => {
  it.live("as the user who starts it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          yield* createNotes(connection)
          expect(userOf(dataDir)).toBe(process.getuid?.())
        })
      )
    })
  )
}

const asRoot = () => {
  it.live("as an unprivileged account, outside a data directory that it cannot reach", () =>
    Effect.gen(function* () {
      const { dataDir, outside, secret } = yield* directories
      const parent = outside[0] ?? ""
      yield* serving({ dataDir, outside, runAs: "system-user" }, (connection) =>
        Effect.gen(function* () {
          yield* createNotes(connection)
          yield* note(connection, "outside")
          expect(userOf(join(parent, readdirSync(parent)[0] ?? ""))).toBeGreaterThan(0)
        })
      )
      expect(existsSync(join(dataDir, "postgres"))).toBe(false)
      // Found again without the strategy of the first start. A copy of the data directory gets its own cluster.
      const copy = join(secret, "copy")
      cpSync(dataDir, copy, { recursive: true })
      yield* serving({ dataDir, outside }, (connection) =>
        Effect.gen(function* () {
          expect(yield* notes(connection)).toEqual(["outside"])
          yield* serving({ dataDir: copy, outside, runAs: "system-user" }, createNotes)
          expect(readdirSync(parent)).toHaveLength(2)
        })
      )
    })
  )

  it.live("as an unprivileged account, in a data directory that it can reach", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      yield* serving({ dataDir, runAs: "system-user" }, createNotes)
      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          expect(yield* notes(connection)).toEqual([])
          expect(userOf(dataDir)).toBeGreaterThan(0)
        })
      )
    })
  )
}

/** Namespaces may be available to root at one start and forbidden at the next; the data must survive that. */
const inNamespace = () => {
  it.live("in a namespace, with all files in the data directory and owned by root", () =>
    Effect.gen(function* () {
      const { dataDir, outside } = yield* directories
      yield* serving({ dataDir, outside, runAs: "namespace" }, (connection) =>
        Effect.gen(function* () {
          yield* createNotes(connection)
          expect(connection.host).toBe(join(dataDir, "postgres"))
          expect(userOf(dataDir)).toBe(0)
        })
      )
      // The files are moved for an account that cannot reach them.
      yield* serving({ dataDir, outside, runAs: "system-user" }, (connection) => note(connection, "moved"))
      yield* serving({ dataDir, outside }, (connection) =>
        Effect.gen(function* () {
          expect(yield* notes(connection)).toEqual(["moved"])
        })
      )
    })
  )

  it.live("as an unprivileged account on files that root owned before", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectory
      yield* serving({ dataDir, runAs: "system-user" }, (connection) =>
        Effect.gen(function* () {
          yield* note(connection, "handed over")
          expect(userOf(dataDir)).toBeGreaterThan(0)
        })
      )
    })
  )
}

const account = unprivilegedAccount()

describe("the embedded PostgreSQL runs", () => {
  if (!isRoot) asOrdinaryUser()
  if (isRoot) asRoot()
  if (isRoot && account !== undefined && namespacesWork(account)) inNamespace()
})
