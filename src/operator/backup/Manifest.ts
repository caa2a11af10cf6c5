/** What a backup says of itself: at its beginning what it is of, at its end what is in it. */
import { Schema } from "effect"

/** Another one means that this release cannot read it. */
export const format = 1

const Name = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_]{0,62}$/))

const Hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const Table = Schema.Struct({
  name: Name,
  /** Those that are written, in their order: not those that the database computes. */
  columns: Schema.Array(Name).check(Schema.isMinLength(1), Schema.isMaxLength(1600))
})
export type Table = typeof Table.Type

export const Manifest = Schema.Struct({
  format: Schema.Literal(format),
  /** The release that made it. */
  release: Schema.String.check(Schema.isMaxLength(100)),
  made_at: Schema.String.check(Schema.isMaxLength(40)),
  /** The migrations that the database had, in their order. */
  migrations: Schema.Array(Schema.String.check(Schema.isPattern(/^\d{4}_\w{1,100}$/))).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(10_000)
  ),
  postgresql: Schema.String.check(Schema.isMaxLength(200)),
  /** In this order, those of each table follow. */
  tables: Schema.Array(Table).check(Schema.isMaxLength(10_000)),
  encryption_key: Schema.Struct({
    /** Of the key that secrets in the database are encrypted by; null where there was none. */
    fingerprint: Schema.NullOr(Hash),
    /** Whether it is in the backup. */
    is_included: Schema.Boolean
  })
})
export type Manifest = typeof Manifest.Type

/** What decides whether this release can read a backup at all. */
export const Format = Schema.Struct({ format: Schema.Int, release: Schema.String })

export const Sequences = Schema.Array(Schema.Struct({ name: Name, value: Schema.BigInt })).check(
  Schema.isMaxLength(10_000)
)
export type Sequences = typeof Sequences.Type

export const Totals = Schema.Struct({
  /** How many rows there are of each table. */
  rows: Schema.Record(Name, Count),
  files: Count,
  bytes_of_files: Count,
  /** How many files the database names that were nowhere. */
  missing_files: Count
})
export type Totals = typeof Totals.Type

export const manifestName = "manifest.json"
export const keyName = "encryption.key"
export const sequencesName = "sequences.json"
export const totalsName = "totals.json"

const digits = (number: number) => String(number).padStart(6, "0")

/** A part of the rows of a table, as `copy` writes them. */
export const partName = (table: string, number: number) => `tables/${table}.${digits(number)}.copy`

/** The SHA-256 of those before it. */
export const checksumsName = (number: number) => `checksums/${digits(number)}`

/** How many files a list of checksums is about, at most. */
export const checkedTogether = 10_000

export const fileName = (key: string) => `files/${key}`

/** The keys of files: `AssetBytes` says so. */
export const fileKey = /^[A-Za-z0-9-]{1,100}$/

export const keyOfFile = (name: string): string | undefined => {
  const key = name.startsWith("files/") ? name.slice("files/".length) : ""
  return fileKey.test(key) ? key : undefined
}

/** How long texts about the backup may be. */
export const textMax = 8 * 1024 * 1024
