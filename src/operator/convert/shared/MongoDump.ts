/** Reads the documents of a collection from what `mongodump` writes: the file of a collection, or an archive of several. */
import { deserialize } from "bson"
import { peeked, refuse } from "./Bytes.ts"

export type Document = Readonly<Record<string, unknown>>

/** The first bytes of an archive. */
const archiveMagic = Buffer.from([0x6d, 0xe2, 0x99, 0x81])

/** Every document of a collection begins with its length and this field, of any type. */
const idName = "_id\0"

/** How many bytes tell what a dump is. */
export const peekedOfMongo = 16

const isArchive = (beginning: Buffer) => beginning.subarray(0, archiveMagic.length).equals(archiveMagic)

/** Whether a dump is one of MongoDB. */
export const isMongoDump = (beginning: Buffer): boolean =>
  isArchive(beginning) || beginning.toString("latin1", 5, 5 + idName.length) === idName

/** The longest document that MongoDB stores, and what the server may add to it. */
const lengthMax = 16 * 1024 * 1024 + 16 * 1024

const shortest = 5

/** What stands where a document would, at the end of a list of documents in an archive. */
const terminator = -1

const damaged = (why: string) => refuse(`The dump is not whole: ${why}.`)

/** Documents as bytes, as many as were read together; a terminator is none. */
const pieces = async function* (
  bytes: AsyncIterable<Uint8Array>
): AsyncGenerator<ReadonlyArray<Buffer | undefined>> {
  let held: Array<Uint8Array> = []
  let length = 0
  let wanted = 4
  for await (const part of bytes) {
    held.push(part)
    length += part.length
    if (length < wanted) continue
    const all = Buffer.concat(held)
    const found: Array<Buffer | undefined> = []
    let at = 0
    for (wanted = 4; all.length - at >= wanted; wanted = 4) {
      const size = all.readInt32LE(at)
      if (size !== terminator && (size < shortest || size > lengthMax))
        throw damaged(`a document has a length of ${size} bytes`)
      wanted = size === terminator ? 4 : size
      if (all.length - at < wanted) break
      found.push(size === terminator ? undefined : all.subarray(at, at + size))
      at += wanted
    }
    held = [all.subarray(at)]
    length = all.length - at
    yield found
  }
  if (length > 0) throw damaged("it ends within a document")
}

const read = (bytes: Buffer): Document => {
  try {
    return deserialize(bytes, { validation: { utf8: false } })
  } catch (error) {
    throw damaged(`a document cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

const withoutMagic = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = archiveMagic.length
  for await (const part of bytes) {
    yield part.subarray(left)
    left -= Math.min(left, part.length)
  }
}

/**
 * An archive begins with a document about itself and one for each collection. After a terminator come blocks, in any order of
 * the collections: a document that names the collection, documents of it, and a terminator. A block without documents ends its
 * collection.
 */
const makeUnpacking = (collection: string) => {
  const databases: Array<unknown> = []
  let state: "about" | "between" | "wanted" | "other" = "about"
  let isWhole = false
  const begin = (document: Document) => {
    const isWanted = document.collection === collection
    if (isWanted && document.EOF === true) isWhole = true
    state = isWanted ? "wanted" : "other"
  }
  const end = () => {
    if (state === "between") throw damaged("a block of it names no collection")
    if (state === "about" && databases.length > 1)
      throw refuse(
        `The archive has a collection \`${collection}\` in ${databases.length} databases: ${databases.join(", ")}. Make one of a single database with \`mongodump --db\`.`
      )
    state = "between"
  }
  return {
    /** The document, if it is one of the collection. */
    next: (piece: Buffer | undefined): Document | undefined => {
      if (piece === undefined) {
        end()
        return undefined
      }
      if (state === "wanted") return read(piece)
      if (state === "between") begin(read(piece))
      if (state === "about") {
        const { collection: name, db } = read(piece)
        if (name === collection) databases.push(db)
      }
      return undefined
    },
    checkIsWhole: () => {
      if (databases.length === 0) throw refuse(`The archive has no collection \`${collection}\`.`)
      if (!isWhole) throw damaged(`the archive has no end of the collection ${collection}`)
    }
  } as const
}

const inArchive = async function* (
  bytes: AsyncIterable<Uint8Array>,
  collection: string
): AsyncGenerator<ReadonlyArray<Document>> {
  const unpacking = makeUnpacking(collection)
  for await (const found of pieces(withoutMagic(bytes)))
    yield found.flatMap((piece): ReadonlyArray<Document> => {
      const document = unpacking.next(piece)
      return document === undefined ? [] : [document]
    })
  unpacking.checkIsWhole()
}

const inFile = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ReadonlyArray<Document>> {
  for await (const found of pieces(bytes))
    yield found.map((piece) => {
      if (piece === undefined) throw damaged("a document has no length")
      return read(piece)
    })
}

/** The documents of a collection, as many as were read together; those of a file are all of one. Fails where the dump is damaged. */
export const documentsIn = async function* (
  bytes: AsyncIterable<Uint8Array>,
  collection: string
): AsyncGenerator<ReadonlyArray<Document>> {
  const { all, beginning } = await peeked(bytes, peekedOfMongo)
  yield* isArchive(beginning) ? inArchive(all, collection) : inFile(all)
}
