/** Imports an input in two steps: its records are read into tables of their own, and written from there in one transaction. */

import { applicationName } from "../../layers/wiring/Database.ts"
import { migrationsLock } from "../../persistence/shared/Migrations.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import type { Files } from "../shared/Files.ts"
import type { Progress } from "../shared/Progress.ts"
import type { Session } from "../shared/Session.ts"
import { claimFiles, settleFiles, storeFiles } from "./Files.ts"
import { analyze, putAside } from "./Indexes.ts"
import type { Input } from "./Input.ts"
import { kindNames } from "./preparing/Kinds.ts"
import type { Threads } from "./preparing/Threads.ts"
import { type Summary, writeReport } from "./Report.ts"
import { beginStaging, schema, tableOf } from "./Staging.ts"
import { storeRecords } from "./Storing.ts"
import { decide } from "./writing/Deciding.ts"
import * as Library from "./writing/Library.ts"
import * as Records from "./writing/Records.ts"
import * as Writing from "./writing/Writing.ts"

export interface Options {
  readonly prefix: string | undefined
  readonly report: string
}

export interface Importing {
  readonly session: Session
  readonly files: Files
  readonly threads: Threads
  readonly progress: Progress
  readonly signal: AbortSignal
  /** Is told of each step before it is done. */
  readonly atStep?: (step: string) => void
}

/** Fails while a service runs: it keeps in memory what an import changes, and would not see the changes. */
const checkAlone = async (session: Session) => {
  const [found] = await session.rows(
    "select from pg_stat_activity where datname = current_database() and application_name = $1 limit 1",
    [applicationName]
  )
  if (found !== undefined)
    throw new OperatorFailure({
      message:
        "The service runs. Stop it, with all of its instances, as long as the import writes. What was read is kept."
    })
}

// What happened before computers did was not written in a forum; and what is to come did not happen.
const earliest = "1970-01-01T00:00:00Z"

const periodOf = async (session: Session) => {
  const [run] = await session.rows<{ last: string }>(
    `select to_char((begun_at + interval '1 day') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as last from ${schema}.run`
  )
  if (run === undefined) throw new Error("The import has not begun")
  return { first: earliest, last: run.last }
}

const memory = ["set local work_mem = '64MB'", "set local maintenance_work_mem = '256MB'"]

/** Triggers whose work is done here for all rows at once: one would take a lock for each row, the others write posts again. */
const countedHere = [
  ["account_emails", "account_emails_number"],
  ...Writing.counting,
  ...Library.counting,
  ...Records.counting
] as const

const importedCounts = async (session: Session) => {
  const counts: Record<string, number> = {}
  for (const kind of kindNames) {
    const [row] = await session.rows<{ count: string }>(
      `select count(*)::text as count from ${tableOf(kind)} where fate is null`
    )
    if (Number(row?.count) > 0) counts[kind] = Number(row?.count)
  }
  return counts
}

const write = async (importing: Importing, options: Options): Promise<Summary> => {
  const { atStep, files, progress, session } = importing
  const step = (name: string) => {
    importing.signal.throwIfAborted()
    atStep?.(name)
    progress.at(name)
  }
  await session.begin()
  // Held by the migrations of a service that starts meanwhile: that one waits until all is written.
  await session.run(`select pg_advisory_xact_lock(${migrationsLock})`, ...memory)
  await checkAlone(session)
  const [found] = await session.rows<{ is_empty: boolean }>(
    "select not exists (select from accounts) as is_empty"
  )
  const isEmpty = found?.is_empty === true
  step("checking")
  await settleFiles(session)
  await decide(session, { isEmpty, prefix: options.prefix })
  step("writing")
  await session.run("set constraints all immediate", "set constraints all deferred")
  await session.run(
    ...countedHere.map(([table, trigger]) => `alter table ${table} disable trigger ${trigger}`)
  )
  const makeAgain = isEmpty ? await putAside(session, step) : undefined
  if (isEmpty) await session.run(Writing.builtInRoles, Writing.settings)
  await session.run(...Writing.people, ...Writing.places(files.store))
  if (isEmpty) await session.run(Writing.founder, Writing.noAdministrator)
  await session.run(...Writing.linksInTexts, ...Library.pages)
  step("writing discussions")
  await session.run(...Writing.numbers, ...Writing.discussions, ...Writing.counts)
  await makeAgain?.()
  step("writing what is about them")
  await session.run(
    ...Writing.around,
    ...Records.waysToSignIn,
    ...Records.noted,
    ...Records.appearance(files.store),
    "set constraints all immediate",
    ...Writing.totals
  )
  await session.run(
    ...countedHere.map(([table, trigger]) => `alter table ${table} enable trigger ${trigger}`)
  )
  await claimFiles(session)
  const summary = await writeReport(session, options.report, await importedCounts(session))
  await session.run(`drop schema ${schema} cascade`)
  step("ending")
  await session.run("commit")
  progress.at("statistics")
  await analyze(session)
  return summary
}

/** Imports what was not imported before. */
export const importInput = async (importing: Importing, input: Input, options: Options): Promise<Summary> => {
  const { files, progress, session, signal, threads } = importing
  signal.addEventListener("abort", session.cut)
  const begun = await beginStaging(session, input)
  if (begun === "continued") progress.at("going on")
  const surroundings = {
    session,
    threads,
    progress,
    signal,
    period: await periodOf(session),
    atStep: importing.atStep
  }
  const filing = { session, files, progress, signal }
  await storeRecords(surroundings, input)
  importing.atStep?.("files")
  await storeFiles(filing, input)
  return await write(importing, options)
}
