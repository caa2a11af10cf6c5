/** Databases that are backed up and restored, each by a process that has its own settings and files. */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createZstdDecompress } from "node:zlib"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../src/layers/process/Settings.ts"
import { assetFiles } from "../../src/layers/wiring/Files.ts"
import { makeBackup } from "../../src/operator/backup/backup.ts"
import { columnsOf } from "../../src/operator/backup/Catalogue.ts"
import { makeNext, type Next } from "../../src/operator/backup/nextBackup.ts"
import { checkFile, restoreFile } from "../../src/operator/backup/restore.ts"
import { sealLength } from "../../src/operator/backup/Seal.ts"
import type { Terminal } from "../../src/operator/shared/Progress.ts"
import { connect } from "../../src/operator/shared/Session.ts"
import { findTables } from "../../src/operator/shared/Snapshot.ts"
import { unpack } from "../../src/operator/shared/Tar.ts"
import * as AssetBytesStored from "../../src/persistence/asset/AssetBytesStored.ts"
import { directoryIn } from "../../src/persistence/asset/AssetBytesStored.ts"
import { AssetFiles, type Bucket } from "../../src/persistence/asset/AssetFiles.ts"
import { makeDirectory } from "../../src/persistence/shared/makeDirectory.ts"
import { kept, restore } from "../persistence/databaseDump.ts"
import { copyOf, freshDatabase } from "../process/support.ts"

/** A directory that goes when the scope closes. */
export const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "forum-backup-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

export const inDatabase = <A, E>(url: string, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.scoped(Effect.provide(use, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))

/** The rows of a statement. */
export const rows = (url: string, text: string) =>
  inDatabase(
    url,
    SqlClient.SqlClient.use((sql) => sql.unsafe<Readonly<Record<string, unknown>>>(text))
  )

const newest = kept().at(-1)?.[1]

export const areas: ReadonlyArray<string> = Object.keys(newest?.areas ?? {})

/** A database as the scenarios of an area leave it. */
export const filled = Effect.fnUntraced(function* (area: string) {
  const url = yield* Effect.promise(freshDatabase)
  yield* inDatabase(url, restore(newest?.areas[area] ?? []))
  return url
})

let roles = 0

/** An empty database, and its owner, who may do nothing else on the server. */
export const empty = Effect.gen(function* () {
  const url = new URL(yield* Effect.promise(() => copyOf("template1")))
  const role = `owner_${process.pid}_${roles++}`
  const name = url.pathname.slice(1)
  yield* inDatabase(
    url.href,
    SqlClient.SqlClient.use((sql) =>
      Effect.andThen(
        sql.unsafe(`create role ${role} login password 'owner'`),
        sql.unsafe(`alter database ${name} owner to ${role}`)
      )
    )
  )
  url.searchParams.set("user", role)
  url.searchParams.set("password", "owner")
  return url.href
})

export type Env = Readonly<Record<string, string>>

const filesOf = (bucket: Bucket | undefined) =>
  bucket === undefined
    ? assetFiles
    : Layer.effect(
        AssetFiles,
        Effect.map(Settings, ({ dataDir }) => ({ directory: directoryIn(dataDir), bucket }))
      )

export const surroundings = (env: Env, bucket?: Bucket) =>
  AssetBytesStored.layer.pipe(
    Layer.provide(filesOf(bucket)),
    Layer.provide(NodeCrypto.layer),
    Layer.provideMerge(
      Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
    )
  )

/** Takes what is told of the progress. */
export const quiet = { write: () => true }

export const backUp = (env: Env, file: string, bucket?: Bucket) =>
  Effect.provide(makeBackup(file, quiet), surroundings(env, bucket))

export const restoreFrom = (
  env: Env,
  file: string,
  { bucket, withoutKey = false }: { readonly bucket?: Bucket; readonly withoutKey?: boolean } = {}
) => Effect.provide(restoreFile(file, quiet, { withoutKey }), surroundings(env, bucket))

export const makeNextIn = (env: Env, next: Next, terminal: Terminal = quiet) =>
  Effect.provide(makeNext(next, terminal), surroundings(env))

export const check = (file: string) => checkFile(file, quiet)

/** What each table has, as `copy` writes it. */
export const contentsOf = (url: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const session = yield* connect({ url: Redacted.make(url) })
      return yield* Effect.promise(async () => {
        await session.begin("isolation level repeatable read read only")
        const contents: Record<string, string> = {}
        for (const table of await findTables(session)) {
          const hash = createHash("sha256")
          let length = 0
          for await (const chunk of session.copyOut(columnsOf(table))) {
            hash.update(chunk)
            length += chunk.length
          }
          contents[table.name] = `${length} bytes ${hash.digest("hex")}`
        }
        return contents
      })
    })
  )

const filesIn = (dataDir: string) => join(dataDir, "assets", "files")

/** Stores a file under its key, as uploads do. */
export const put = (dataDir: string, key: string, bytes: Uint8Array) =>
  Effect.promise(async () => {
    await makeDirectory(filesIn(dataDir), 0o700)
    await writeFile(join(filesIn(dataDir), key), bytes)
  })

/** The files that are stored, by their keys. */
export const stored = (dataDir: string) =>
  Effect.promise(async () => {
    const names = (await readdir(filesIn(dataDir)).catch(() => [])).toSorted()
    const read = async (name: string) => [
      name,
      (await readFile(join(filesIn(dataDir), name))).toString("hex")
    ]
    return Object.fromEntries(await Promise.all(names.map(read))) as Readonly<Record<string, string>>
  })

export interface Unpacked {
  readonly name: string
  readonly bytes: Buffer
}

/** What an archive has, of which so many bytes at the end are something else. */
export const unpacked = (file: string, behind = 0) =>
  Effect.promise(async (): Promise<ReadonlyArray<Unpacked>> => {
    const { length } = await readFile(file)
    const source = createReadStream(file, { end: length - behind - 1 }).pipe(createZstdDecompress())
    const members: Array<Unpacked> = []
    for await (const { bytes, name } of unpack(source)) {
      const parts: Array<Uint8Array> = []
      for await (const part of bytes) parts.push(part)
      members.push({ name, bytes: Buffer.concat(parts) })
    }
    return members
  })

/** What is in a backup. */
export const membersOf = (file: string) => unpacked(file, sealLength)
