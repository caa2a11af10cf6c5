/** Dumps as `mongodump` writes them, made of documents. */
import { ObjectId, serialize } from "bson"

export type Documents = ReadonlyArray<Readonly<Record<string, unknown>>>

const magic = Buffer.from([0x6d, 0xe2, 0x99, 0x81])

const terminator = Buffer.from([0xff, 0xff, 0xff, 0xff])

const idOf = (number: number) => new ObjectId(number.toString(16).padStart(24, "0"))

/** The file of a collection. */
export const bsonOf = (documents: Documents): Buffer =>
  Buffer.concat(documents.map((document, index) => serialize({ _id: idOf(index), ...document })))

/** Documents of a collection as they come in an archive; without documents they end it. */
export interface Block {
  readonly db: string
  readonly collection: string
  readonly documents?: Documents
}

export const blockOf = ({ collection, db, documents }: Block): Buffer =>
  Buffer.concat([
    serialize({ db, collection, EOF: documents === undefined, CRC: 0n }),
    ...(documents === undefined ? [] : [bsonOf(documents)]),
    terminator
  ])

/** An archive with these blocks, which begins with the collections that it has. */
export const mongoArchiveOf = (
  blocks: ReadonlyArray<Block>,
  collections: ReadonlyArray<Block> = blocks.filter(({ documents }) => documents === undefined)
): Buffer =>
  Buffer.concat([
    magic,
    serialize({
      concurrent_collections: 4,
      version: "0.1",
      server_version: "7.0.14",
      tool_version: "100.10.0"
    }),
    ...collections.map(({ collection, db }) =>
      serialize({ db, collection, metadata: '{"indexes":[]}', size: 0, type: "collection" })
    ),
    terminator,
    ...blocks.map(blockOf)
  ])
