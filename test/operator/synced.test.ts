/** What a command says that it has written is on the disk, with its name, and survives a power failure. */
import { randomBytes } from "node:crypto"
import { readdirSync, readlinkSync, statSync, writeFileSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { freshDatabase } from "../process/support.ts"
import { backUp, directory, empty, filled, put, restoreFrom } from "./backups.ts"
import { exportTo } from "./exports.ts"

/** What was written to the disk: how long a file was by then, or what a directory had. */
interface Synced {
  readonly inode: number
  readonly length: number
  readonly names: ReadonlyArray<string>
}

/** Notes what is written to the disk, until the scope closes. */
const noting = Effect.acquireRelease(
  Effect.promise(async () => {
    const some = await open(import.meta.filename)
    const prototype: FileHandle = Object.getPrototypeOf(some)
    await some.close()
    const { sync } = prototype
    const synced: Array<Synced> = []
    const spy = vi.spyOn(prototype, "sync").mockImplementation(async function (this: FileHandle) {
      await sync.call(this)
      const { ino, size } = await this.stat()
      const path = readlinkSync(`/proc/self/fd/${this.fd}`)
      const names = statSync(path).isDirectory() ? readdirSync(path) : []
      synced.push({ inode: ino, length: size, names })
    })
    return { spy, synced }
  }),
  ({ spy }) => Effect.sync(() => spy.mockRestore())
).pipe(Effect.map(({ synced }) => synced))

/** Everything at a path, and its name, was written to the disk once it was as it is. */
const assertSynced = (path: string, synced: ReadonlyArray<Synced>) => {
  const hasName = synced.some(
    ({ inode, names }) => inode === statSync(dirname(path)).ino && names.includes(basename(path))
  )
  assert.isTrue(hasName, `the name of ${path}`)
  const found = statSync(path)
  const own = synced.filter(({ inode }) => inode === found.ino)
  if (!found.isDirectory()) {
    assert.isTrue(
      own.some(({ length }) => length === found.size),
      path
    )
    return
  }
  for (const name of readdirSync(path)) assertSynced(join(path, name), synced)
}

it.effect("a backup, an export and a restored key are on the disk before the command ends", () =>
  Effect.gen(function* () {
    const [url, dataDir, made] = yield* Effect.all([filled("asset"), directory, directory])
    const env = { DATABASE_URL: url, DATA_DIR: dataDir }
    writeFileSync(join(dataDir, "encryption.key"), `${Buffer.alloc(32, 1).toString("base64")}\n`)
    yield* put(dataDir, "some", randomBytes(10))
    const synced = yield* noting
    const backup = join(made, "backup")
    yield* backUp(env, backup)
    const exports = ["export", "export.tar.zst"].map((name) => join(made, name))
    for (const path of exports) yield* exportTo(env, path)
    for (const path of [backup, ...exports]) assertSynced(path, synced)

    const [target, other] = yield* Effect.all([empty, directory])
    yield* restoreFrom({ DATABASE_URL: target, DATA_DIR: other }, backup)
    assertSynced(join(other, "encryption.key"), synced)
  }).pipe(Effect.scoped)
)

it.effect("nothing counts as written to the disk that is not", () =>
  Effect.gen(function* () {
    const [url, made] = yield* Effect.all([Effect.promise(freshDatabase), directory])
    const synced = yield* noting
    yield* backUp({ DATABASE_URL: url, DATA_DIR: made }, join(made, "backup"))
    writeFileSync(join(made, "other"), "other")
    assert.throws(() => assertSynced(join(made, "other"), synced))
  }).pipe(Effect.scoped)
)
