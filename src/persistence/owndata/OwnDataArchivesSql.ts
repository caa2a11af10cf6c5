import { createHash } from "node:crypto"
import { Effect, Layer, Option, Schema, Stream } from "effect"
import type { SqlConnection } from "effect/sql"
import manifest from "../../../package.json" with { type: "json" }
import { AssetBytes } from "../../domain/asset/AssetBytes.ts"
import { fileOf, type Kind } from "../../domain/exchange/Kinds.ts"
import {
  Contents,
  contentsName,
  jsonText,
  Manifest,
  manifestName,
  manifestOf
} from "../../domain/exchange/Manifest.ts"
import { OwnDataArchives } from "../../domain/owndata/OwnDataArchives.ts"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { generalDefaults } from "../../domain/settings/GeneralSetting.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { FilePlace } from "../exchange/FilePlace.ts"
import { makeParts, type PartOfContents } from "../exchange/Parts.ts"
import { kindsOfAccounts, recordsOf } from "../exchange/RecordQueries.ts"
import { LongReads } from "../shared/Connections.ts"
import { type Add, zipOf } from "./zipOf.ts"

// A record may have megabytes.
const rowsTogether = 8

const begin = [
  "begin isolation level repeatable read read only",
  // To sort what an account made takes longer than requests may; and nothing runs while a large file is read.
  "set local statement_timeout = '5min'",
  "set local idle_in_transaction_session_timeout = '10min'"
]

/** An asset as its query gives it, with the place of its bytes. */
const AssetRow = Schema.fromJsonString(
  Schema.StructWithRest(Schema.Struct({ sha256: FilePlace }), [Schema.Record(Schema.String, Schema.Unknown)])
)
const decodeAsset = Schema.decodeUnknownSync(AssetRow)

/** Reads all that a query finds, a few rows at a time. */
const forEachRecord = Effect.fnUntraced(function* <E, R>(
  connection: SqlConnection.Connection,
  query: string,
  use: (record: string) => Effect.Effect<void, E, R>
) {
  const run = (text: string) => Effect.orDie(connection.executeUnprepared(text, [], undefined))
  yield* run(`declare records no scroll cursor for ${query}`)
  for (;;) {
    const rows: ReadonlyArray<{ readonly record: string }> = yield* run(`fetch ${rowsTogether} from records`)
    for (const { record } of rows) yield* use(record)
    if (rows.length < rowsTogether) break
  }
  yield* run("close records")
})

/** The files of an archive, each once. */
const makeOwnFiles = (bytes: AssetBytes["Service"], add: Add) => {
  const known = new Set<string>()
  let length = 0
  let missing = 0

  const using = (place: FilePlace) =>
    Stream.unwrap(
      Effect.map(bytes.open(place), (found) => (Option.isSome(found) ? found.value.bytes : Stream.empty))
    )

  const hashOf = Effect.fnUntraced(function* (place: FilePlace) {
    const hash = createHash("sha256")
    let read = 0
    yield* Stream.runForEach(using(place), (part) =>
      Effect.sync(() => {
        hash.update(part)
        read += part.length
      })
    )
    return read === place.size ? hash.digest("hex") : undefined
  })

  return {
    /** Puts a file into the archive, unless it is there; answers its SHA-256, or nothing if it is lost. */
    put: Effect.fnUntraced(function* (place: FilePlace) {
      const sha256 = yield* hashOf(place)
      if (sha256 === undefined) {
        missing += 1
        return undefined
      }
      if (!known.has(sha256)) {
        known.add(sha256)
        length += place.size
        yield* add({ name: fileOf(sha256), bytes: using(place), compress: false })
      }
      return sha256
    }),
    counts: () => ({ files: { number: known.size, bytes: length }, missing_files: missing })
  } as const
}

type OwnFiles = ReturnType<typeof makeOwnFiles>

interface Archiving {
  readonly connection: SqlConnection.Connection
  readonly account: AccountId
  readonly add: Add
  readonly files: OwnFiles
}

/** Puts the records of a kind into the archive; answers what they are. */
const putKind = Effect.fnUntraced(function* (kind: Kind, { account, add, connection, files }: Archiving) {
  const parts: Array<PartOfContents> = []
  const cutting = makeParts(kind, (part) => parts.push(part))
  const put = (cut: Iterable<{ readonly name: string; readonly bytes: ReadonlyArray<Buffer> }>) =>
    Effect.forEach(
      cut,
      ({ bytes, name }) => add({ name, bytes: Stream.fromIterable(bytes), compress: true }),
      { discard: true }
    )

  /** An asset with the hash of its bytes in place of where they are. */
  const withHash = Effect.fnUntraced(function* (record: string) {
    const asset = decodeAsset(record)
    return JSON.stringify({ ...asset, sha256: yield* files.put(asset.sha256) })
  })

  const query = recordsOf(kind, { account, withAddresses: true, sortsByBytes: false })
  yield* forEachRecord(connection, query, (record) =>
    Effect.flatMap(kind === "assets" ? withHash(record) : Effect.succeed(record), (line) =>
      put(cutting.add(Buffer.from(`${line}\n`)))
    )
  )
  yield* put(cutting.end())
  return parts
})

export const layer = Layer.effect(
  OwnDataArchives,
  Effect.gen(function* () {
    const open = yield* LongReads
    const bytes = yield* AssetBytes
    const { publicUrl } = yield* Deployment

    const write = Effect.fnUntraced(function* (account: AccountId, add: Add) {
      const text = (name: string, content: string) =>
        add({ name, bytes: Stream.make(Buffer.from(content)), compress: true })
      const client = yield* Effect.orDie(open)
      const connection = yield* Effect.orDie(client.reserve)
      for (const statement of begin)
        yield* Effect.orDie(connection.executeUnprepared(statement, [], undefined))
      const [general]: ReadonlyArray<{ readonly title: string | null }> = yield* Effect.orDie(
        connection.executeUnprepared(
          "select value ->> 'title' as title from settings where part = 'general'",
          [],
          undefined
        )
      )
      const about = manifestOf({
        made_by: `${manifest.name} ${manifest.version}`,
        title: general?.title ?? generalDefaults.title,
        address: addressOf(publicUrl),
        account_id: account,
        with_addresses: true
      })
      yield* text(manifestName, jsonText(Manifest, about))
      const files = makeOwnFiles(bytes, add)
      const parts: Array<PartOfContents> = []
      for (const kind of kindsOfAccounts) {
        parts.push(...(yield* putKind(kind, { account, add, connection, files })))
      }
      yield* text(contentsName, jsonText(Contents, { parts, ...files.counts() }))
    }, Effect.scoped)

    return OwnDataArchives.of({ read: (account) => zipOf((add) => write(account, add)) })
  })
)
