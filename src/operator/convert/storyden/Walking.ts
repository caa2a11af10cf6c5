/** Goes through what a service has: lists page by page, and things one by one, some at a time. */
import { Schema } from "effect"
import { refuse } from "../shared/Bytes.ts"
import type { Rule } from "../shared/Rules.ts"
import type { Row, Scratch } from "../shared/Scratch.ts"
import { NotAnswered, type Service } from "./Service.ts"
import { Page } from "./Shapes.ts"
import type { Things } from "./Things.ts"

/** How many requests are under way at a time. */
export const requestsMax = 4

/** How often a list is read that changes while it is read. */
const passesMax = 5

const together = 200

const decodePage = Schema.decodeUnknownSync(Page)

export interface List {
  readonly name: string
  readonly path: string
  /** Whether there is nothing to convert without it. */
  readonly isNeeded?: true
  /** The key of a page that has the rows. */
  readonly rows: string
  /** Keeps a row. Answers whether it was not known. */
  readonly take: (row: unknown, place: number) => boolean
}

export interface Walk {
  readonly service: Service
  readonly scratch: Scratch
  readonly things: Things
  readonly signal: AbortSignal
  /** Says what is being read. */
  readonly entering: (what: string) => void
}

export const rowsIn = (answer: unknown, key: string): ReadonlyArray<unknown> => {
  const found: unknown = typeof answer === "object" && answer !== null ? Reflect.get(answer, key) : undefined
  return Array.isArray(found) ? found : []
}

const withPage = (path: string, page: number) =>
  page === 1 ? path : `${path}${path.includes("?") ? "&" : "?"}page=${page}`

/** The page that comes next; none where the service would go in a circle. */
const nextOf = (page: number, next: number | null | undefined): number | undefined =>
  typeof next === "number" && next > page ? next : undefined

const itself = (answer: unknown): unknown => answer

/** The pages of what is short: it is read as a whole, or again. `pageIn` finds the page in an answer that has more. */
export const pagesOf = async function* (service: Service, path: string, pageIn = itself) {
  for (let page: number | undefined = 1; page !== undefined; ) {
    const current: number = page
    const answer = await service.json(withPage(path, current))
    yield { answer, page: current }
    page = nextOf(current, decodePage(pageIn(answer)).next_page)
  }
}

/** Places of rows that stay in order, whatever the pages are. */
export const placeOf = (page: number, index: number) => page * 100_000 + index

interface Pass {
  readonly from: number
  /** Whether it is the first one, with which the next run goes on. */
  readonly isFirst: boolean
  /** Whether it ends with a page that has nothing new. */
  readonly isRest: boolean
}

/** One walk through the pages of a list. */
const pass = async (
  { scratch, service }: Walk,
  { name, path, rows, take }: List,
  { from, isFirst, isRest }: Pass
) => {
  let [seen, fresh, results] = [0, 0, 0]
  for (let page: number | undefined = from; page !== undefined; ) {
    const current: number = page
    const answer = await service.json(withPage(path, current))
    const { next_page, results: all } = decodePage(answer)
    const found = rowsIn(answer, rows)
    const next = nextOf(current, next_page)
    let added = 0
    scratch.inTransaction(() => {
      for (const [index, row] of found.entries()) if (take(row, placeOf(current, index))) added += 1
      if (isFirst) scratch.note(name, current, false)
    })
    seen += found.length
    fresh += added
    results = all ?? 0
    page = isRest && added === 0 ? undefined : next
  }
  return { fresh, isShort: seen < results && from === 1 && !isRest }
}

const passes = async (walk: Walk, list: List) => {
  // The page where an earlier run has ended is read again: there is one.
  const from = Math.max(1, walk.scratch.progressOf(list.name).rows)
  let { isShort } = await pass(walk, list, { from, isFirst: true, isRest: false })
  for (let number = 1; number < passesMax; number += 1) {
    const again = await pass(walk, list, { from: 1, isFirst: false, isRest: !isShort })
    if (!again.isShort && again.fresh === 0) return
    isShort = again.isShort
  }
  walk.scratch.tell(list.name, "", "changed_while_read")
}

/**
 * Reads a list to its end. What was added or moved to its beginning meanwhile is read as well; and all of it again where
 * something went away meanwhile, as the rest moved up.
 */
export const walkList = async (walk: Walk, list: List) => {
  const { entering, scratch } = walk
  if (scratch.progressOf(list.name).isComplete) return
  entering(list.name)
  try {
    await passes(walk, list)
  } catch (error) {
    if (!(error instanceof NotAnswered)) throw error
    if (list.isNeeded === true) throw refuse(`${error.message}. Without it there is nothing to convert.`)
    scratch.tell(list.name, "", "list_not_readable", error.message)
  }
  scratch.note(list.name, 0, true)
}

/** Does some of the work at a time. The first failure ends it, once what is under way has ended. */
const inParallel = async <A>(items: ReadonlyArray<A>, work: (item: A) => Promise<void>) => {
  const rest = items.values()
  const failures: Array<unknown> = []
  const run = async () => {
    for (const item of rest) {
      if (failures.length > 0) return
      try {
        await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: requestsMax }, run))
  if (failures.length > 0) throw failures[0]
}

const ruleOf = ({ status }: NotAnswered): Rule => (status === 403 ? "not_readable" : "gone_while_read")

/** Asks for each thing of a kind that is not complete. What is no more, or may not be read, is in the report. */
export const eachThing = async (
  { entering, scratch, signal, things }: Walk,
  kind: string,
  what: string,
  work: (row: { readonly id: string; readonly parent: string; readonly json: string }) => Promise<void>
) => {
  entering(what)
  const one = async ({ id, json, parent }: Row) => {
    signal.throwIfAborted()
    try {
      await work({ id: String(id), parent: String(parent), json: String(json) })
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error
      scratch.tell(kind, id, ruleOf(error), error.message)
    }
    things.complete(kind, String(id))
  }
  // Work may add some that come before: it ends once nothing was left from the first to the last.
  for (let isDone = false; !isDone; ) {
    isDone = true
    for (let batch = things.incomplete(kind, "", together); batch.length > 0; ) {
      isDone = false
      await inParallel(batch, one)
      batch = things.incomplete(kind, String(batch.at(-1)?.id), together)
    }
  }
}
