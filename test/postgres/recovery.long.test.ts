import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { usableBinaries } from "../../src/layers/postgres/Binaries.ts"
import { findLocation } from "../../src/layers/postgres/ClusterLocation.ts"
import { spawnArguments } from "../../src/layers/postgres/RunAs.ts"
import { readPidFile, waitUntil } from "../../src/layers/postgres/StaleServer.ts"
import { temporaryDirectory, usedDirectory } from "./data-directories.ts"
import { eventually, keepBusy, note, notes, postmasterOf, processesIn, serving } from "./server.ts"

const script = join(import.meta.dirname, "service.ts")

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** A service in its own process. The scope kills it if necessary and waits until its PostgreSQL has exited. */
const service = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [script, dataDir], { stdio: ["ignore", "pipe", "inherit"] })),
    (child) =>
      Effect.andThen(
        hasEnded(child) ? Effect.void : kill(child),
        waitUntil(() => processesIn(join(dataDir, "postgres")).length === 0, 5_000)
      )
  )

const kill = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

const serves = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    child.stdout?.on("data", (text: Buffer) => {
      if (text.includes("serving")) resume(Effect.void)
    })
  })

/** Writes the id of a running process that is not PostgreSQL into the pid file, as after a reboot. */
const nameAnotherProcess = (dataDir: string) => {
  const path = join(dataDir, "postgres", "postmaster.pid")
  const [, ...rest] = readFileSync(path, "utf8").split("\n")
  writeFileSync(path, [process.ppid, ...rest].join("\n"))
}

/** Starts PostgreSQL outside any scope, as on systems where the kernel does not end it with its service. */
const startOrphan = Effect.fnUntraced(function* (dataDir: string) {
  yield* serving({ dataDir }, () => Effect.void)
  const { cluster, home, runAs } = yield* findLocation(dataDir, {})
  const { postgres } = yield* usableBinaries(runAs, home)
  const { args, file, options } = spawnArguments(runAs, "INT", postgres, [
    "-D",
    cluster,
    "-c",
    "unix_socket_directories="
  ])
  const { pid } = spawn(file, args, { ...options, detached: true, stdio: "ignore" })
  yield* waitUntil(() => readPidFile(cluster)?.ready === true)
  return pid
})

describe("the embedded PostgreSQL recovers", () => {
  it.live("from being killed while it runs, at the same address", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectory
      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          for (const text of ["one", "two", "three"]) {
            yield* note(connection, text)
            // A busy session does not notice that its server has ended.
            yield* Effect.forkScoped(Effect.ignore(keepBusy(connection)))
            process.kill(postmasterOf(dataDir), "SIGKILL")
            yield* eventually(notes(connection))
          }
          expect(yield* notes(connection)).toEqual(["one", "three", "two"])
        })
      )
    })
  )

  it.live("from the service being killed, with every acknowledged write", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectory
      const child = yield* service(dataDir)
      yield* serves(child)
      yield* kill(child)
      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          expect(yield* notes(connection)).toEqual(["acknowledged"])
        })
      )
    })
  )

  it.live("from both being killed at once, with a pid file that names another process", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectory
      const child = yield* service(dataDir)
      yield* serves(child)
      process.kill(postmasterOf(dataDir), "SIGKILL")
      yield* kill(child)
      nameAnotherProcess(dataDir)
      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          expect(yield* notes(connection)).toEqual(["acknowledged"])
        })
      )
    })
  )

  it.live("from a first start killed at any moment", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      // Node takes about half a second to start, and creating a cluster takes about as long.
      for (const moment of [600, 900]) {
        const child = yield* service(dataDir)
        yield* Effect.sleep(moment)
        yield* kill(child)
      }
      const child = yield* service(dataDir)
      yield* serves(child)
      expect(readdirSync(dataDir).filter((name) => name.includes("new"))).toEqual([])
    })
  )

  it.live("from a server that is still running although its service has ended", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectory
      const orphan = yield* startOrphan(dataDir)
      yield* serving({ dataDir }, (connection) =>
        Effect.gen(function* () {
          yield* note(connection, "one server")
          expect(yield* notes(connection)).toEqual(["one server"])
          expect(processesIn(join(dataDir, "postgres"))).not.toContain(`${orphan}`)
        })
      )
    })
  )
})
