/**
 * Where records wait until all of them are read: tables of a schema of their own, which nothing else reads. What is in them
 * outlasts the program, so that an import that ended early goes on. They are not logged: where PostgreSQL itself crashes,
 * it empties all of them, and the import begins anew.
 */
import { pipeline } from "node:stream/promises"
import { OperatorFailure } from "../OperatorFailure.ts"
import { quoted, type Session } from "../shared/Session.ts"
import { lineOf } from "./Copying.ts"
import type { Finding } from "./Finding.ts"
import { isPreparedKind, kindNames, type PreparedKind, preparedKinds } from "./preparing/Kinds.ts"
import type { Prepared } from "./preparing/Preparing.ts"

export const schema = "forum_import"

/** The staging table of a kind. `fate` is null for what is to be written. */
export const tableOf = (kind: PreparedKind) => `${schema}.${quoted(kind)}`

const columnsOf = (kind: PreparedKind) => Object.entries(preparedKinds[kind].columns)

const makeTables = [
  `create schema ${schema}`,
  // What is imported, since when, and how far it has come.
  `create unlogged table ${schema}.run (mark text not null, path text not null, begun_at timestamptz not null default now())`,
  `create unlogged table ${schema}.parts (name text primary key, lines bigint not null, is_complete boolean not null)`,
  `create unlogged table ${schema}.counts (kind text primary key, lines bigint not null)`,
  `create unlogged table ${schema}.findings (place bigint generated always as identity, kind text not null, line bigint not null,
    id text, outcome text not null, reason text not null, field text, detail text)`,
  // Files that are stored under these keys, and what they are.
  `create unlogged table ${schema}.files (id text primary key, size bigint not null, mime_type text not null, width int not null,
    height int not null, integrity text not null)`,
  // Ids that became others: taken ones, and those of what is there already under another id.
  `create unlogged table ${schema}.moved (kind text, given text, id text not null, primary key (kind, given))`,
  ...kindNames.map(
    (kind) =>
      `create unlogged table ${tableOf(kind)} (line bigint not null, ${columnsOf(kind)
        .map(([name, type]) => `${quoted(name)} ${type}`)
        .join(", ")}, fate text)`
  ),
  `create index on ${schema}.assets (sha256)`,
  // An id that nothing has, of the second of the id that a text begins with: the same one in each run of one input.
  `create function ${schema}.other_id(given text) returns text language sql stable as $$
    select left(given, 7) || (
        select string_agg(substr('0123456789abcdefghijklmnopqrstuv', 1 + get_byte(hash, place) % 32, 1), '' order by place)
        from generate_series(0, 11) place
      ) || case when get_byte(hash, 12) < 128 then '0' else 'g' end
    from (select sha256(convert_to(mark || given, 'UTF8')) as hash from ${schema}.run) hashed
  $$`
]

/** Held by an import as long as it runs. */
const lock = "731620095, 0"

export interface Run {
  readonly mark: string
  readonly path: string
}

/** Where it begins, if another run of the same input had begun: with what that one had read. */
export const beginStaging = async (session: Session, { mark, path }: Run): Promise<"begun" | "continued"> => {
  // What a killed import runs would hold the lock until it ends. Not every system tells whether its client is there.
  await session.run("set client_connection_check_interval = '1s'").catch(() => {})
  const [held] = await session.rows<{ is_held: boolean }>(`select pg_try_advisory_lock(${lock}) as is_held`)
  if (held?.is_held !== true)
    throw new OperatorFailure({ message: "Another import runs. Nothing was changed." })
  const [known] = await session.rows<{ known: boolean }>(
    `select to_regclass('${schema}.run') is not null as known`
  )
  if (known?.known === true) {
    const [run] = await session.rows<Run>(`select mark, path from ${schema}.run`)
    if (run?.mark === mark) return "continued"
    if (run !== undefined)
      throw new OperatorFailure({
        message: `The import of ${run.path} has begun and is not complete. Continue that one, or give it up by \`forum import --give-up\`. Nothing was changed.`
      })
    await session.run(`drop schema ${schema} cascade`)
  }
  await session.run("begin", ...makeTables)
  await session.rows(`insert into ${schema}.run (mark, path) values ($1, $2)`, [mark, path])
  await session.run("commit")
  return "begun"
}

/** Forgets what was read. */
export const giveUp = (session: Session) => session.run(`drop schema if exists ${schema} cascade`)

export const noteFindings = async (session: Session, findings: ReadonlyArray<Finding>) => {
  if (findings.length === 0) return
  const target = session.copyIn(`${schema}.findings (kind, line, id, outcome, reason, field, detail)`)
  await pipeline(
    findings.map(({ detail, field, id, kind, line, outcome, reason }) =>
      Buffer.from(lineOf([kind, line, id, outcome, reason, field, detail]))
    ),
    target
  )
}

/** How many lines of each part are stored, and whether these are all. */
export const partsOf = async (session: Session) =>
  new Map(
    (
      await session.rows<{ name: string; lines: string; is_complete: boolean }>(
        `select name, lines::text as lines, is_complete from ${schema}.parts`
      )
    ).map(({ is_complete, lines, name }) => [name, { lines: Number(lines), isComplete: is_complete }])
  )

/** How many lines of each kind were read. */
export const countsOf = async (session: Session) =>
  new Map(
    (
      await session.rows<{ kind: string; lines: string }>(
        `select kind, lines::text as lines from ${schema}.counts`
      )
    ).map(({ kind, lines }) => [kind, Number(lines)])
  )

/** Stores prepared chunks of a part, and how far it has come, in one transaction. */
export const storeChunks = async (
  session: Session,
  kind: string,
  part: { readonly name: string; readonly isComplete: boolean },
  chunks: ReadonlyArray<Prepared>
) => {
  const lines = chunks.reduce((sum, chunk) => sum + chunk.lines, 0)
  await session.run("begin", "set local timezone = 'UTC'")
  if (isPreparedKind(kind)) {
    const columns = ["line", ...columnsOf(kind).map(([name]) => quoted(name))].join(", ")
    await pipeline(
      chunks.map(({ rows }) => rows),
      session.copyIn(`${tableOf(kind)} (${columns})`)
    )
  }
  await noteFindings(
    session,
    chunks.flatMap(({ findings }) => findings)
  )
  await session.rows(
    `insert into ${schema}.parts as p (name, lines, is_complete) values ($1, $2, $3)
      on conflict (name) do update set lines = p.lines + excluded.lines, is_complete = excluded.is_complete`,
    [part.name, lines, part.isComplete]
  )
  await session.rows(
    `insert into ${schema}.counts as c (kind, lines) values ($1, $2)
      on conflict (kind) do update set lines = c.lines + excluded.lines`,
    [kind, lines]
  )
  await session.run("commit")
}
