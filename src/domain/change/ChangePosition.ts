/** Where changes stand in the one order of all of them, and what clients know of that: ids, and cursors to go on from. Pure. */
import { Option, Schema } from "effect"
import { Id } from "../shared/Id.ts"

export const ChangeId = Id.pipe(Schema.brand("ChangeId"))
export type ChangeId = typeof ChangeId.Type

/** Where a change stands in the one order of all changes, which every instance keeps to. */
export interface ChangePosition {
  readonly generation: number
  readonly txid: string
  readonly id: bigint
}

/** Before every change. */
export const beginning: ChangePosition = { generation: 0, txid: "0", id: 0n }

/** Less than 0 if one position comes before another, 0 if it is the same. */
export const comparePositions = (one: ChangePosition, other: ChangePosition): number => {
  if (one.generation !== other.generation) return one.generation - other.generation
  if (one.txid !== other.txid) return BigInt(one.txid) < BigInt(other.txid) ? -1 : 1
  if (one.id === other.id) return 0
  return one.id < other.id ? -1 : 1
}

export const isBefore = (one: ChangePosition, other: ChangePosition): boolean =>
  comparePositions(one, other) < 0

/** The bytes of a position in a cursor, and those of the checksum after them. */
const positionBytes = 20
const cursorBytes = positionBytes + 4

/** Tells cursors from other texts. It keeps nothing secret: a position says nothing of what is there. FNV-1a. */
const checksumOf = (bytes: Uint8Array): number =>
  bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5)

/** A position as text. */
export const cursorOf = ({ generation, id, txid }: ChangePosition): string => {
  const bytes = new Uint8Array(cursorBytes)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, generation)
  view.setBigUint64(4, BigInt(txid))
  view.setBigUint64(12, id)
  view.setUint32(positionBytes, checksumOf(bytes.subarray(0, positionBytes)))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
}

// What the columns of the log take.
const generationMax = 2 ** 31 - 1
const idMax = 2n ** 63n - 1n

const positionIn = (bytes: Uint8Array): Option.Option<ChangePosition> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(positionBytes) !== checksumOf(bytes.subarray(0, positionBytes))) return Option.none()
  const generation = view.getUint32(0)
  const id = view.getBigUint64(12)
  if (generation > generationMax || id > idMax) return Option.none()
  return Option.some({ generation, txid: String(view.getBigUint64(4)), id })
}

// As many characters as the bytes take without padding, which every one of such texts stands for.
const cursorForm = /^[\w-]{32}$/

/** The position that a cursor stands for; none if the text is no cursor. */
export const positionOf = (cursor: string): Option.Option<ChangePosition> => {
  if (!cursorForm.test(cursor)) return Option.none()
  const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))
  return positionIn(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)))
}
