/** Makes a record of another program one that can be stored, or says why it cannot. What is changed is noted. Pure. */
import { Result, Schema, SchemaIssue } from "effect"
import { isStorable, toLine } from "../../../domain/field/Text.ts"
import type { Outcome, Reason } from "../Finding.ts"

export type Json = Record<string, unknown>

export interface Note {
  readonly outcome: Outcome
  readonly reason: Reason
  readonly field?: string
  readonly detail?: string
}

export interface Notes {
  readonly list: Array<Note>
  readonly repaired: (reason: Reason, field?: string, detail?: string) => void
}

export const makeNotes = (): Notes => {
  const list: Array<Note> = []
  return {
    list,
    repaired: (reason, field, detail) => {
      list.push({
        outcome: "repaired",
        reason,
        ...(field === undefined ? {} : { field }),
        ...(detail === undefined ? {} : { detail })
      })
    }
  }
}

const unstorable = /\0/g

/** The value with texts that can be stored: without NUL characters and halves of characters. */
const storable = (value: unknown): unknown => {
  if (typeof value === "string")
    return isStorable(value) ? value : value.toWellFormed().replace(unstorable, "\ufffd")
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(storable)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [String(storable(key)), storable(inner)])
  )
}

/** Repairs the encoding of all texts of a record. JSON has what cannot be stored as escapes. */
export const repairTexts = (record: Json, line: string, notes: Notes): Json => {
  // Most lines have neither.
  if (!/\\u(?:0000|[dD][89a-fA-F])/.test(line)) return record
  const entries = Object.entries(record).map(([key, value]): [string, unknown] => {
    const repaired = storable(value)
    if (JSON.stringify(repaired) !== JSON.stringify(value)) notes.repaired("encoding", key)
    return [key, repaired]
  })
  return Object.fromEntries(entries)
}

/** The earliest and the latest instant that a record may have. */
export interface Period {
  readonly first: string
  readonly last: string
}

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/

/** An instant to the microsecond, if a text is one of the calendar, in any form that other programs write. */
const readInstant = (value: unknown): string | undefined => {
  if (typeof value !== "string" && typeof value !== "number") return undefined
  if (typeof value === "string" && instant.test(value)) {
    // A day that its month does not have becomes one of the next month.
    const read = new Date(value)
    return !Number.isNaN(read.getTime()) && read.toISOString().slice(0, 10) === value.slice(0, 10)
      ? value
      : undefined
  }
  const read = new Date(typeof value === "string" ? value : value * (Math.abs(value) < 1e11 ? 1000 : 1))
  return Number.isNaN(read.getTime()) || read.getUTCFullYear() < 0 || read.getUTCFullYear() > 9999
    ? undefined
    : read.toISOString()
}

const inPeriod = (time: string, { first, last }: Period): string => {
  const at = Date.parse(time)
  if (at < Date.parse(first)) return first
  return at > Date.parse(last) ? last : time
}

/** Fields of records that are instants, and whether they are of what has happened. */
const times: Readonly<Record<string, "past" | "any">> = {
  created_at: "past",
  updated_at: "past",
  deleted_at: "past",
  published_at: "past",
  suspended_at: "past",
  read_at: "past",
  added_at: "past",
  issued_at: "past",
  occurred_at: "past",
  set_at: "past",
  signs_in_by_email_since: "past",
  starts_at: "any",
  ends_at: "any"
}

const always: Period = { first: "0001-01-01T00:00:00Z", last: "9999-12-31T23:59:59.999999Z" }

/** Those that a record has of itself: what it is about was some time. */
const own = new Set(["created_at", "added_at", "issued_at", "occurred_at", "set_at"])

/** Fields of records that consist of others, or of one, which have instants as well. */
const parts = ["assets", "emails", "identities", "phone"]

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const repairParts = (record: Json, period: Period, notes: Notes): Json => {
  let repaired = record
  const repairPart = (field: string) => (part: unknown) =>
    isObject(part) ? repairOwnTimes(part, period, notes, field) : part
  for (const field of parts) {
    const value = record[field]
    if (typeof value !== "object") continue
    const kept = Array.isArray(value) ? value.map(repairPart(field)) : repairPart(field)(value)
    repaired = { ...repaired, [field]: kept }
  }
  return repaired
}

/** `within` is the field of the record that this is a part of. */
const repairOwnTimes = (record: Json, period: Period, notes: Notes, within?: string): Json => {
  let repaired = record
  for (const [field, when] of Object.entries(times)) {
    const value = record[field]
    if (value === undefined) continue
    const read = readInstant(value) ?? (own.has(field) ? period.first : undefined)
    const kept = read === undefined ? undefined : inPeriod(read, when === "past" ? period : always)
    if (kept === value) continue
    notes.repaired("time_changed", within ?? field, String(value).slice(0, 100))
    repaired = { ...repaired, [field]: kept }
    if (kept === undefined) delete repaired[field]
  }
  return repaired
}

/** Puts instants that are none, or out of range, into the period; without one, what was updated was when it was created. */
export const repairTimes = (record: Json, period: Period, notes: Notes): Json => {
  const repaired = repairParts(repairOwnTimes(record, period, notes), period, notes)
  return typeof repaired.created_at === "string" && repaired.updated_at === undefined
    ? { ...repaired, updated_at: repaired.created_at }
    : repaired
}

/** The first characters of a text, without half a character at its end. */
export const cut = (text: string, characters: number): string =>
  text.length <= characters ? text : text.slice(0, characters).replace(/[\ud800-\udbff]$/, "")

/** What a kind of records can be repaired by. */
export interface Repairs {
  /** How many characters texts may have, by their fields; what is longer is cut. */
  readonly lengths?: Readonly<Record<string, number>>
  /** How many entries lists may have, by their fields; those beyond are left out. */
  readonly counts?: Readonly<Record<string, number>>
  /** Fields that are shown on one line: of these, what nobody sees is removed, as from what clients send. */
  readonly oneLine?: ReadonlyArray<string>
  /** What stands in for fields that are not there, or not as they have to be. */
  readonly defaults?: Json
}

const fieldOf = (issue: SchemaIssue.Issue): string | undefined => {
  const { issues } = SchemaIssue.makeFormatterStandardSchemaV1()(issue)
  const first = issues[0]?.path?.[0]
  const key = typeof first === "object" ? first.key : first
  return key === undefined ? undefined : String(key)
}

const messageOf = (issue: SchemaIssue.Issue): string => cut(String(issue).replace(/\s+/g, " "), 300)

/** Repairs of one record: each of its fields once. */
const repairsMax = 40

export const makeRepairing = <A>(
  schema: Schema.ConstraintDecoder<A> & Schema.Constraint,
  { counts = {}, defaults = {}, lengths = {}, oneLine = [] }: Repairs = {}
) => {
  const decode = Schema.decodeUnknownResult(schema)

  const repairedTexts = (record: Json, notes: Notes): Json => {
    let repaired = record
    for (const field of oneLine) {
      const value = repaired[field]
      if (typeof value !== "string" || toLine(value) === value) continue
      notes.repaired("name_changed", field)
      repaired = { ...repaired, [field]: toLine(value) }
    }
    for (const [field, most] of Object.entries(lengths)) {
      const value = repaired[field]
      if (typeof value !== "string" || value.length <= most) continue
      notes.repaired("text_cut", field)
      repaired = { ...repaired, [field]: cut(value, most) }
    }
    for (const [field, most] of Object.entries(counts)) {
      const value = repaired[field]
      if (!Array.isArray(value) || value.length <= most) continue
      notes.repaired("limit", field, String(most))
      repaired = { ...repaired, [field]: value.slice(0, most) }
    }
    return repaired
  }

  /** The record, or why it cannot be one. */
  return (given: Json, notes: Notes): Result.Result<A, string> => {
    let record = repairedTexts(given, notes)
    const touched = new Set<string>()
    for (let tries = 0; tries < repairsMax; tries += 1) {
      const result = decode(record)
      if (Result.isSuccess(result)) return Result.succeed(result.success)
      const { issue } = result.failure
      const field = fieldOf(issue)
      if (field === undefined || touched.has(field)) return Result.fail(messageOf(issue))
      touched.add(field)
      const had = record[field]
      const { [field]: _, ...rest } = record
      const stand = defaults[field]
      record = stand === undefined ? rest : { ...rest, [field]: stand }
      if (had !== undefined && had !== null) notes.repaired("invalid", field, messageOf(issue))
    }
    return Result.fail("it has too many fields that are wrong")
  }
}
