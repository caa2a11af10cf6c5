/** Reads the rows of tables from what `pg_dump` writes as text: blocks of `COPY … FROM stdin`. */
import { refuse } from "./Bytes.ts"
import { linesWithin } from "./Lines.ts"

export type Field = string | null

/** Rows of one table, in their order; a row that was too long is none. */
export interface Rows {
  readonly table: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<Field> | undefined>
  /** Whether these are the last rows of the table. */
  readonly isLast: boolean
}

const header = /^COPY (?:"?\w+"?\.)?"?(\w+)"? \(([^)]*)\) FROM stdin;$/
const encoding = /^SET client_encoding = '([^']*)';$/
const end = "\\."

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }

const escape = /\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([\s\S]))/g

const unescaped = (text: string) =>
  text.replace(escape, (_, hex?: string, octal?: string, other?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
    return escapes[other ?? ""] ?? other ?? ""
  })

/** The field of a row, as the text form of `COPY` has it. */
export const fieldOf = (text: string): Field => {
  if (text === "\\N") return null
  return text.includes("\\") ? unescaped(text) : text
}

const namesIn = (list: string) => list.split(",").map((name) => name.trim().replaceAll('"', ""))

const known = new Set(["UTF8", "SQL_ASCII"])

const checkEncoding = (line: string) => {
  const [, name] = encoding.exec(line) ?? []
  if (name !== undefined && !known.has(name))
    throw refuse(`The dump is in ${name}. Make it again with \`pg_dump --encoding=UTF8\`.`)
}

/** The rows of the tables that are wanted. Fails where the dump ends in the middle of a table. */
export const copiedRows = async function* (
  bytes: AsyncIterable<Uint8Array>,
  isWanted: (table: string) => boolean
): AsyncGenerator<Rows> {
  let block: Pick<Rows, "table" | "columns"> | undefined
  for await (const lines of linesWithin(bytes)) {
    let rows: Array<ReadonlyArray<Field> | undefined> = []
    for (const line of lines) {
      if (block === undefined) {
        const [, table, columns] = line === undefined ? [] : (header.exec(line) ?? [])
        if (table !== undefined && columns !== undefined) block = { table, columns: namesIn(columns) }
        else if (line !== undefined) checkEncoding(line)
      } else if (line === end) {
        if (isWanted(block.table)) yield { ...block, rows, isLast: true }
        block = undefined
        rows = []
      } else if (isWanted(block.table)) {
        rows.push(line?.split("\t").map(fieldOf))
      }
    }
    if (block !== undefined && rows.length > 0) yield { ...block, rows, isLast: false }
  }
  if (block !== undefined) throw refuse(`The dump ends within the table ${block.table}. It is not whole.`)
}
