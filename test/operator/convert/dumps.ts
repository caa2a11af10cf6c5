/** Dumps and archives as other programs write them, made of rows. */
import { gzipSync } from "node:zlib"
import { pack } from "tar-stream"

export type Field = string | number | boolean | null

export type Rows = ReadonlyArray<Readonly<Record<string, Field>>>

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v"
}

const fieldText = (field: Field | undefined) => {
  if (field === null || field === undefined) return "\\N"
  if (typeof field === "boolean") return field ? "t" : "f"
  return String(field).replace(/[\\\b\f\n\r\t\v]/g, (character) => escapes[character] ?? character)
}

const columnsOf = (rows: Rows) => [...new Set(rows.flatMap((row) => Object.keys(row)))]

/** A table as `pg_dump` writes its rows. */
export const copied = (table: string, rows: Rows): string => {
  const columns = columnsOf(rows)
  const lines = rows.map((row) => `${columns.map((column) => fieldText(row[column])).join("\t")}\n`)
  const names = columns.map((column) => (column === "position" || column === "_key" ? `"${column}"` : column))
  return `COPY public.${table} (${names.join(", ")}) FROM stdin;\n${lines.join("")}\\.\n\n\n`
}

export const dumpOf = (tables: Readonly<Record<string, Rows>>): string =>
  [
    "--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\nSELECT pg_catalog.set_config('search_path', '', false);\n\n",
    "CREATE TABLE public.schema_migrations (\n    version character varying NOT NULL\n);\n\n",
    copied("schema_migrations", [{ version: "20240101000000" }]),
    ...Object.entries(tables).map(([table, rows]) => copied(table, rows)),
    "--\n-- PostgreSQL database dump complete\n--\n"
  ].join("")

interface ArchiveFile {
  readonly name: string
  readonly bytes?: Uint8Array | string
  readonly type?: "file" | "symlink" | "link"
  readonly target?: string
}

/** An archive, compressed as `gzip` does. */
export const archiveOf = async (files: ReadonlyArray<ArchiveFile>): Promise<Buffer> => {
  const archive = pack()
  for (const { bytes = "", name, target, type = "file" } of files)
    archive.entry({ name, type, ...(target === undefined ? {} : { linkname: target }) }, Buffer.from(bytes))
  archive.finalize()
  const parts: Array<Uint8Array> = []
  for await (const part of archive) parts.push(part)
  return gzipSync(Buffer.concat(parts))
}
