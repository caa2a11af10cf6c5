/** Inputs of imports, and what becomes of them. */

import { createHash } from "node:crypto"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../../src/layers/process/Settings.ts"
import { assetFiles } from "../../../src/layers/wiring/Files.ts"
import { runImport } from "../../../src/operator/import/import.ts"
import * as AssetBytesStored from "../../../src/persistence/asset/AssetBytesStored.ts"
import { freshDatabase } from "../../process/support.ts"
import { directory, type Env, inDatabase, quiet } from "../backups.ts"

export type Records = Readonly<Record<string, ReadonlyArray<object | string>>>

export const manifest = {
  format: "forum-export",
  version: 1,
  made_by: "a test",
  title: "Elsewhere",
  with_addresses: true
}

export const at = (second: number) => new Date(Date.UTC(2025, 0, 1) + second * 1000).toISOString()

/** An id that looks like the others. */
export const idOf = (kind: string, number: number) => `${kind}${number.toString(16).padStart(18, "0")}0`

const times = (second = 0) => ({ created_at: at(second), updated_at: at(second) })

export const account = (number: number, more: object = {}) => ({
  id: idOf("a", number),
  ...times(number),
  kind: "human",
  admin: false,
  founder: false,
  handle: `person-${number}`,
  name: `Person ${number}`,
  bio: "<body></body>",
  links: [],
  meta: {},
  verified_status: "none",
  roles: [],
  interests: [],
  ...more
})

export const thread = (number: number, more: object = {}) => ({
  id: idOf("t", number),
  ...times(100 + number),
  author_id: idOf("a", 1),
  visibility: "published",
  pinned: 0,
  title: `Thread ${number}`,
  slug: `${idOf("t", number)}-thread-${number}`,
  body: `<body><p>The text of thread ${number}</p></body>`,
  meta: {},
  tag_ids: [],
  ...more
})

export const reply = (number: number, of: number, more: object = {}) => ({
  id: idOf("r", number),
  ...times(200 + number),
  thread_id: idOf("t", of),
  author_id: idOf("a", 2),
  visibility: "published",
  body: `<body><p>The text of reply ${number}</p></body>`,
  meta: {},
  ...more
})

export const category = (number: number, more: object = {}) => ({
  id: idOf("c", number),
  ...times(number),
  name: `Category ${number}`,
  slug: `category-${number}`,
  description: "",
  colour: "",
  sort: number,
  meta: {},
  ...more
})

export const node = (number: number, more: object = {}) => ({
  id: idOf("p", number),
  ...times(300 + number),
  owner_id: idOf("a", 1),
  position: `U${number.toString(10).padStart(3, "0")}`.replace(/0$/, "A"),
  name: `Page ${number}`,
  slug: `page-${number}`,
  description: `The text of page ${number}`,
  content: `<body><p>The text of page ${number}</p></body>`,
  hide_child_tree: false,
  visibility: "published",
  meta: {},
  tag_ids: [],
  assets: [],
  ...more
})

export const field = (number: number, more: object = {}) => ({
  id: idOf("q", number),
  name: `Field ${number}`,
  type: "text",
  sort: "",
  ...more
})

export const value = (page: number, of: number, text: string) => ({
  node_id: idOf("p", page),
  field_id: idOf("q", of),
  value: text
})

export const version = (number: number, of: number, more: object = {}) => ({
  id: idOf("v", number),
  ...times(400 + number),
  node_id: idOf("p", of),
  author_id: idOf("a", 2),
  status: "applied",
  name: `Version ${number}`,
  slug: `page-${of}`,
  content: `<body><p>The text of version ${number}</p></body>`,
  has_own_content: false,
  properties: [],
  meta: {},
  ...more
})

export const asset = (number: number, bytes: Uint8Array | undefined, more: object = {}) => ({
  id: idOf("f", number),
  created_at: at(number),
  account_id: idOf("a", 1),
  filename: `${idOf("f", number)}-file.txt`,
  name: "file.txt",
  mime_type: "text/plain",
  size: bytes?.length ?? 0,
  width: 0,
  height: 0,
  ...(bytes === undefined ? {} : { sha256: sha256(bytes) }),
  ...more
})

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const lineOf = (record: object | string) => (typeof record === "string" ? record : JSON.stringify(record))

/** Writes a directory of records and files. */
export const writeInput = (path: string, records: Records, files: ReadonlyArray<Uint8Array> = []) =>
  Effect.promise(async () => {
    await mkdir(path, { recursive: true })
    await writeFile(join(path, "manifest.json"), JSON.stringify(manifest))
    for (const [kind, list] of Object.entries(records)) {
      await mkdir(join(path, kind), { recursive: true })
      await writeFile(
        join(path, kind, "000001.ndjson"),
        Buffer.concat(list.map((record) => Buffer.from(`${lineOf(record)}\n`)))
      )
    }
    if (files.length > 0) await mkdir(join(path, "files"), { recursive: true })
    for (const bytes of files) await writeFile(join(path, "files", sha256(bytes)), bytes)
  })

const surroundings = (env: Env) =>
  AssetBytesStored.layer.pipe(
    Layer.provide(assetFiles),
    Layer.provide(NodeCrypto.layer),
    Layer.provideMerge(
      Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
    )
  )

export interface Choices {
  readonly prefix?: string
  readonly damaged?: boolean
  readonly atStep?: (step: string) => void
}

export const importFrom = (env: Env, path: string, { atStep, damaged = false, prefix }: Choices = {}) =>
  Effect.provide(
    runImport(
      path,
      { prefix, damaged, report: `${path}.report.ndjson`, ...(atStep === undefined ? {} : { atStep }) },
      quiet
    ),
    surroundings(env)
  )

export interface ReportLine {
  readonly kind: string
  readonly line?: number
  readonly id?: string
  readonly outcome: string
  readonly reason: string
  readonly field?: string
  readonly detail?: string
}

export const reportOf = (path: string) =>
  Effect.promise(
    async (): Promise<ReadonlyArray<ReportLine>> =>
      (await readFile(`${path}.report.ndjson`, "utf8"))
        .split("\n")
        .filter((line) => line !== "")
        .map((line): ReportLine => JSON.parse(line))
  )

/** What the report says, without details. */
export const findingsOf = (path: string) =>
  Effect.map(reportOf(path), (lines) =>
    lines.map(({ field, id, kind, outcome, reason }) =>
      [kind, id, outcome, reason, field].filter((part) => part !== undefined).join(" ")
    )
  )

export const rows = (url: string, text: string) =>
  inDatabase(
    url,
    SqlClient.SqlClient.use((sql) => sql.unsafe<Readonly<Record<string, unknown>>>(text))
  )

interface Imported {
  readonly url: string
  readonly findings: ReadonlyArray<string>
  readonly one: (query: string) => Effect.Effect<ReadonlyArray<unknown>>
}

/** Imports records into an empty instance. */
export const imported = Effect.fnUntraced(function* (
  records: Records,
  files: ReadonlyArray<Uint8Array> = [],
  change: (path: string) => Promise<void> = () => Promise.resolve()
) {
  const [url, path, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
  yield* writeInput(path, records, files)
  yield* Effect.promise(() => change(path))
  yield* importFrom({ DATABASE_URL: url, DATA_DIR: dataDir }, path)
  const one = (query: string) =>
    Effect.orDie(Effect.map(rows(url, query), (found) => found.flatMap((row) => Object.values(row))))
  return { url, findings: yield* findingsOf(path), one } satisfies Imported
})

export { directory }
