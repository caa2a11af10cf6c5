/** Checks the machine: the data directory and its disk, the program for thumbnails. */
import { accessSync, constants, statSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, Option } from "effect"
import { Thumbnailer } from "../../domain/asset/Thumbnailer.ts"
import type { Settings } from "../../layers/process/Settings.ts"
import { existing, freeOf } from "../../persistence/asset/FreeSpace.ts"
import { reasonOf } from "../OperatorFailure.ts"
import { type Finding, fail, ok, warn } from "./Finding.ts"

const mebibyte = 1024 * 1024
const least = { free: 200 * mebibyte, wanted: 2048 * mebibyte }

const sizeOf = (bytes: number) =>
  bytes < 1024 * mebibyte
    ? `${Math.round(bytes / mebibyte)} MiB`
    : `${(bytes / 1024 / mebibyte).toFixed(1)} GiB`

export const diskFinding = (dataDir: string, free: number, reserve: number): Finding => {
  const says = `${sizeOf(free)} free for ${dataDir}`
  const todo = "Make room: PostgreSQL stops where it cannot write."
  if (free < least.free) return fail("disk", says, todo)
  if (free < reserve) {
    return fail(
      "disk",
      `${says}: uploads are refused below ${sizeOf(reserve)}`,
      "Make room, or set a smaller DISK_RESERVE_MEGABYTES."
    )
  }
  return free < Math.max(least.wanted, 2 * reserve) ? warn("disk", says, todo) : ok("disk", says)
}

const disk = (dataDir: string, reserve: number) =>
  Effect.map(
    Effect.tryPromise(() => freeOf(dataDir)),
    (free) => diskFinding(dataDir, free, reserve)
  )

/** Whether the user who runs this owns the data directory: files that root makes cannot be written by another user. */
const owner = (dataDir: string) =>
  Effect.try(() => {
    const found = existing(dataDir)
    const user = process.getuid?.()
    const owner = statSync(found).uid
    if (user !== undefined && user !== 0 && user !== owner && found === dataDir) {
      return fail(
        "user",
        `${dataDir} belongs to the user ${owner}, and this is the user ${user}`,
        "Run commands as the user that runs the service."
      )
    }
    if (user === 0 && owner !== 0) {
      return warn(
        "user",
        `${dataDir} belongs to the user ${owner}, and this is root`,
        "Run commands as the user that runs the service: files that root makes may be closed to it."
      )
    }
    accessSync(found, constants.W_OK)
    return ok("user", `May write to ${dataDir}`)
  })

// The smallest picture.
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64"
)

const thumbnails = Effect.gen(function* () {
  const { isAvailable, make } = yield* Thumbnailer
  // npm installs nothing optional that does not suit the Node it runs on, which may be older than the service's.
  const todo =
    "Images are answered as they were uploaded. To have small versions, install sharp, where the service is: " +
    "PATH=$PWD/node_modules/.bin:$PATH npm install --omit=dev --no-save."
  if (!isAvailable) return warn("thumbnails", "The optional package sharp is not installed", todo)
  const made = yield* Effect.acquireUseRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "forum-doctor-"))),
    (directory) => {
      const path = join(directory, "pixel.png")
      return Effect.andThen(
        Effect.promise(() => writeFile(path, pixel)),
        make(path, 1)
      )
    },
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )
  return Option.isSome(made)
    ? ok("thumbnails", "sharp makes them")
    : warn("thumbnails", "sharp is installed, but does not work on this machine", todo)
})

const orFailing = <E, R>(
  name: string,
  check: Effect.Effect<Finding, E, R>,
  todo = "See whether this user may read it."
) =>
  Effect.catchCause(check, (cause) =>
    Effect.succeed(fail(name, `Cannot be checked: ${reasonOf(cause)}`, todo))
  )

export const machineFindings = ({
  dataDir,
  diskReserveMegabytes
}: Pick<Settings["Service"], "dataDir" | "diskReserveMegabytes">) => {
  const path = resolve(dataDir)
  return Effect.all([
    orFailing("user", owner(path)),
    orFailing("disk", disk(path, diskReserveMegabytes * mebibyte)),
    orFailing("thumbnails", thumbnails, `See whether this user may write to ${tmpdir()}.`)
  ])
}
