/** Converts the data of another program into an export, in two steps: all of it is read, and then written. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { open, rm, stat } from "node:fs/promises"
import { resolve } from "node:path"
import { writeExport } from "../exchange/ExportWriting.ts"
import type { Progress } from "../shared/Progress.ts"
import { replaceByWhole } from "../shared/Unfinished.ts"
import { refuse } from "./shared/Bytes.ts"
import type { Identity, Options, Program } from "./shared/Conversion.ts"
import { redirectMap } from "./shared/Redirects.ts"
import { openScratch, type Scratch } from "./shared/Scratch.ts"
import { makeWriting, type Written } from "./Writing.ts"

export interface Converting {
  readonly program: Program
  readonly source: string
  readonly destination: string
  readonly options: Options
  readonly madeBy: string
  readonly progress: Progress
  /** For tests: is told of each step before it is done. */
  readonly atStep?: (step: string) => void
}

export interface Summary extends Written {
  /** How often each rule was used. */
  readonly rules: Readonly<Record<string, number>>
  /** Whether there are old addresses that lead elsewhere. */
  readonly hasRedirects: boolean
}

const identifyFile = async (source: string): Promise<Identity> => {
  if (!existsSync(source)) throw refuse(`${source} does not exist.`)
  const { mtimeMs, size } = await stat(source)
  return { facts: [resolve(source), size, mtimeMs], size }
}

/** What tells this source from another one, and from how another release would read it. */
const markOf = async ({ madeBy, options, program, source }: Converting) => {
  const { facts: own, size } = await (program.identify ?? identifyFile)(source)
  const facts = [program.name, madeBy, ...own, options]
  return { size, mark: createHash("sha256").update(JSON.stringify(facts)).digest("hex") }
}

const linesOfReport = function* (scratch: Scratch) {
  for (const { detail, id, kind, rule } of scratch.each(
    "select kind, id, rule, detail from findings order by kind, id, rule"
  ))
    yield `${JSON.stringify({ kind, id, rule, ...(detail === "" ? {} : { detail }) })}\n`
}

const writeLines = (path: string, lines: Iterable<string>) =>
  replaceByWhole(path, async (unfinished) => {
    const target = await open(unfinished, "wx", 0o600)
    try {
      let waiting = ""
      for (const line of lines) {
        waiting += line
        if (waiting.length < 256 * 1024) continue
        await target.writeFile(waiting)
        waiting = ""
      }
      await target.writeFile(waiting)
      await target.sync()
    } finally {
      await target.close()
    }
  })

const usedRules = (scratch: Scratch) =>
  Object.fromEntries(
    scratch
      .all("select rule, count(*) as count from findings group by rule order by rule")
      .map(({ count, rule }) => [String(rule), Number(count)])
  )

/** Where the report and the table of redirects of a destination are. */
export const besides = (destination: string) => {
  const path = resolve(destination)
  return {
    path,
    report: `${path}.left-out.ndjson`,
    redirects: `${path}.redirects.map`,
    scratch: `${path}.converting`
  } as const
}

/** Refuses a destination that exists. What its conversion could not remove any more is removed: it has personal data. */
const checkFree = async (destination: string) => {
  const { path, scratch } = besides(destination)
  if (!existsSync(path)) return
  if (!existsSync(scratch)) throw refuse(`${destination} exists. Name another file.`)
  await rm(scratch, { recursive: true })
  throw refuse(`${destination} exists. What its conversion had left is removed: ${scratch}`)
}

/** Converts; where it ended early, the same goes on from where all that was read is. */
export const convert = async (converting: Converting, signal: AbortSignal): Promise<Summary> => {
  const { atStep, destination, madeBy, options, program, progress, source } = converting
  const { path, redirects, report, scratch: directory } = besides(destination)
  await checkFree(destination)
  const { mark, size } = await markOf(converting)
  const scratch = openScratch(directory, mark, program.name)
  try {
    if (scratch.isContinued) progress.at("going on")
    let read = 0
    let step = "reading"
    const told = (bytes: number) => {
      signal.throwIfAborted()
      read += bytes
      atStep?.(`read ${read}`)
      progress.at(step, read, size)
    }
    const entering = (what: string) => {
      signal.throwIfAborted()
      step = `reading ${what}`
      atStep?.(step)
      progress.at(step, read, size)
    }
    if (!scratch.progressOf("all").isComplete) {
      await program.read({ source, options, scratch, signal, told, entering })
      scratch.note("all", 0, true)
    }
    atStep?.("deciding")
    progress.at("deciding")
    const converted = program.convert(scratch, options, source)
    const writing = makeWriting(scratch, converted, madeBy, progress)
    atStep?.("writing")
    const hasRedirects = converted.records.redirects !== undefined
    // What is beside an export is there when the export is: without its name, the same command makes all of them again.
    await writeExport(path, writing.members, signal, async () => {
      if (hasRedirects) await writeLines(redirects, redirectMap(scratch))
      await writeLines(report, linesOfReport(scratch))
      atStep?.("naming")
    })
    const summary = { ...writing.written(), rules: usedRules(scratch), hasRedirects }
    scratch.close()
    await rm(directory, { recursive: true })
    return summary
  } catch (error) {
    scratch.close()
    throw error
  }
}
