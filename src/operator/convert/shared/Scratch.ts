/**
 * What was read of another program's data, in a database of SQLite beside what is written. So little is held in memory,
 * and what was read is there when the command goes on.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { idFrom, timeOfMilliseconds } from "./Ids.ts"
import type { Rule } from "./Rules.ts"
import { tailOf } from "./Tails.ts"

/** A table of the other program: the columns that are wanted of it, as SQLite declares them. */
export interface Table {
  readonly columns: string
  /** What rows are found by, beside the primary key. */
  readonly indexes?: ReadonlyArray<string>
}

export type Row = Readonly<Record<string, unknown>>

const own = `
  create table if not exists run (mark text not null);
  create table if not exists progress (name text primary key, rows integer not null, complete integer not null);
  create table if not exists findings (
    kind text not null, id text not null, rule text not null, detail text not null default '',
    primary key (kind, id, rule)) without rowid;
  create table if not exists files (path text primary key, tail text not null, sha256 text not null, size integer not null);
  create index if not exists files_tail on files (tail);
`

const settings = `
  pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -65536; pragma temp_store = file;
`

const namesOf = (columns: string) =>
  columns.split(",").flatMap((column) => /^\s*"?(\w+)"?\s/.exec(`${column} `)?.[1] ?? [])

/** Any number may be in the data of another program. */
const wholly = { deterministic: true, useBigIntArguments: true }

const rowsTogether = 5000

/** The database; one of another source is made anew. */
const opened = (directory: string, mark: string, program: string) => {
  const path = join(directory, "read.sqlite")
  const open = () => {
    mkdirSync(join(directory, "files"), { recursive: true, mode: 0o700 })
    const database = new DatabaseSync(path)
    database.exec(settings)
    database.exec(own)
    return database
  }
  let db = open()
  const known = db.prepare("select mark from run").get()
  if (known !== undefined && known.mark !== mark) {
    db.close()
    rmSync(directory, { recursive: true })
    db = open()
  }
  const isContinued = known?.mark === mark
  if (!isContinued) db.prepare("insert into run values (?)").run(mark)
  db.function("new_id", wholly, (kind, old) =>
    old === null ? null : idFrom(program, String(kind), String(old))
  )
  db.function("instant_of", wholly, (value) => timeOfMilliseconds(value) ?? null)
  db.function("file_tail", { deterministic: true }, (path) => tailOf(String(path)))
  return { db, isContinued } as const
}

export const openScratch = (directory: string, mark: string, program: string) => {
  const { db, isContinued } = opened(directory, mark, program)

  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string) => {
    const found = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, found)
    return found
  }
  const inTransaction = (work: () => void) => {
    db.exec("begin")
    try {
      work()
      db.exec("commit")
    } catch (error) {
      db.exec("rollback")
      throw error
    }
  }

  const progressOf = (name: string) => {
    const row = statement("select rows, complete from progress where name = ?").get(name)
    return { rows: Number(row?.rows ?? 0), isComplete: row?.complete === 1 }
  }
  const note = (name: string, rows: number, isComplete: boolean) =>
    statement("insert or replace into progress values (?, ?, ?)").run(name, rows, isComplete ? 1 : 0)

  return {
    directory,
    isContinued,
    exec: (sql: string) => db.exec(sql),
    run: (sql: string, ...values: ReadonlyArray<SQLInputValue>) => statement(sql).run(...values),
    find: (sql: string, ...values: ReadonlyArray<SQLInputValue>): Row | undefined =>
      statement(sql).get(...values),
    /** Rows one after another. What is nested in it must not use the same statement. */
    each: (sql: string, ...values: ReadonlyArray<SQLInputValue>): Iterable<Row> =>
      db.prepare(sql).iterate(...values),
    all: (sql: string, ...values: ReadonlyArray<SQLInputValue>): ReadonlyArray<Row> =>
      statement(sql).all(...values),
    inTransaction,
    progressOf,
    note,
    /** Says what became of a thing of the other program, once. */
    tell: (kind: string, id: unknown, rule: Rule, detail = "") => {
      statement("insert or ignore into findings values (?, ?, ?, ?)").run(
        kind,
        String(id).slice(0, 255),
        rule,
        detail.slice(0, 300)
      )
    },
    makeTables: (tables: Readonly<Record<string, Table>>) => {
      for (const [name, { columns, indexes = [] }] of Object.entries(tables)) {
        db.exec(`create table if not exists ${name} (${columns})`)
        for (const index of indexes)
          db.exec(`create index if not exists ${name}_${index.replace(/\W+/g, "_")} on ${name} (${index})`)
      }
    },
    /** Stores rows of a table, of whose columns some may be missing, going on where an earlier run has ended. */
    storing: (name: string, { columns }: Table) => {
      const wanted = namesOf(columns)
      const insert = db.prepare(
        `insert or ignore into ${name} (${wanted.map((column) => `"${column}"`).join(", ")}) values (${wanted.map(() => "?").join(", ")})`
      )
      const begun = progressOf(name)
      let seen = 0
      return (
        given: ReadonlyArray<string>,
        rows: ReadonlyArray<ReadonlyArray<SQLInputValue> | undefined>,
        isLast: boolean
      ) => {
        if (begun.isComplete) return
        const places = wanted.map((column) => given.indexOf(column))
        for (let start = 0; start < rows.length || (isLast && start === 0); start += rowsTogether)
          inTransaction(() => {
            for (const row of rows.slice(start, start + rowsTogether)) {
              seen += 1
              if (seen <= begun.rows) continue
              if (row === undefined) {
                statement("insert or ignore into findings values (?, ?, 'row_too_long', '')").run(
                  name,
                  `row ${seen}`
                )
                continue
              }
              const { changes } = insert.run(...places.map((place) => row[place] ?? null))
              if (changes === 0)
                statement("insert or ignore into findings values (?, ?, 'duplicate_id', '')").run(
                  name,
                  String(row[places[0] ?? 0]).slice(0, 255)
                )
            }
            note(name, Math.max(seen, begun.rows), isLast && start + rowsTogether >= rows.length)
          })
      }
    },
    close: () => db.close()
  } as const
}

export type Scratch = ReturnType<typeof openScratch>
