/** Makes lines of records rows to copy. Pure. */
import { isUtf8 } from "node:buffer"
import { Result } from "effect"
import { lineMax } from "../../../domain/exchange/Fields.ts"
import { lineFeed } from "../../shared/lineFeeds.ts"
import { lineOf } from "../Copying.ts"
import type { Finding } from "../Finding.ts"
import { type PreparedKind, preparedKinds } from "./Kinds.ts"
import { type Json, makeNotes, type Period, repairTexts, repairTimes } from "./Repair.ts"

/** Lines of one kind, each with its line feed, the last one perhaps without. */
export interface Order {
  readonly kind: PreparedKind
  /** The number of the first of them. */
  readonly first: number
  readonly lines: Uint8Array
  readonly period: Period
}

export interface Prepared {
  /** Rows in the text form of `copy`. */
  readonly rows: Uint8Array<ArrayBuffer>
  readonly findings: ReadonlyArray<Finding>
  /** How many lines there were. */
  readonly lines: number
}

const decoder = new TextDecoder()

const parsed = (text: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : undefined
  } catch {
    return undefined
  }
}

const splitLines = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: Array<Uint8Array> = []
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(lineFeed, start)
    const end = found < 0 ? bytes.length : found
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  return lines
}

const idOf = ({ id }: Json) => (typeof id === "string" ? id.slice(0, 100) : undefined)

const prepareLine = (
  { kind, period }: Order,
  line: number,
  bytes: Uint8Array
): { readonly row: string; readonly findings: ReadonlyArray<Finding> } => {
  const { columns, read } = preparedKinds[kind]
  if (bytes.length > lineMax)
    return { row: "", findings: [{ kind, line, outcome: "left out", reason: "line_too_long" }] }
  const text = decoder.decode(bytes)
  const given = parsed(text)
  if (given === undefined)
    return { row: "", findings: [{ kind, line, outcome: "left out", reason: "not_json" }] }
  const id = idOf(given)
  const notes = makeNotes()
  if (!isUtf8(bytes)) notes.repaired("encoding")
  const result = read(repairTimes(repairTexts(given, text, notes), period, notes), notes)
  if (Result.isFailure(result))
    return {
      row: "",
      findings: [{ kind, line, id, outcome: "left out", reason: "invalid", detail: result.failure }]
    }
  const row = result.success
  return {
    row: lineOf([line, ...Object.keys(columns).map((name) => row[name])]),
    findings: notes.list.map((note) => ({ kind, line, id, ...note }))
  }
}

export const prepare = (order: Order): Prepared => {
  const findings: Array<Finding> = []
  const lines = splitLines(order.lines)
  let rows = ""
  lines.forEach((bytes, index) => {
    // An empty line at the end of a file is none.
    if (bytes.length === 0 && index === lines.length - 1) return
    const prepared = prepareLine(order, order.first + index, bytes)
    rows += prepared.row
    findings.push(...prepared.findings)
  })
  return { rows: new TextEncoder().encode(rows), findings, lines: lines.length }
}
