/** A page of a thread: its opening post and a page of its replies, found by their numbers. */
import { Effect, Option } from "effect"
import { listEnvelope } from "../../domain/shared/ListPlace.ts"
import type { ReplyPlace, ReplySelection, ThreadPageContent } from "../../domain/thread/ThreadContent.ts"
import { repliesOnPage, type ThreadSummary } from "../../domain/thread/ThreadSummary.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all } from "../shared/Query.ts"
import { makePostReader, type OpeningRow, openingColumns } from "./PostReader.ts"
import type { ThreadReader } from "./ThreadReader.ts"

const withOpening = (replies: string) =>
  `(select ${openingColumns}, ordinal from posts where id = $1 and deleted_at is null) union all (${replies})`

const replies = `select ${openingColumns}, ordinal from posts
  where thread_id = $1 and ordinal > 0 and deleted_at is null`

/** The statement for a page of a thread of which no reply was ever deleted: it is a range of numbers. */
const ofRange = withOpening(`${replies} and ordinal > $2 and ordinal <= $3 order by ordinal`)

// Where some were, a page is counted from whichever end of the thread is nearer.
const fromStart = withOpening(`${replies} order by ordinal offset $2 limit $3`)
const fromEnd = withOpening(`${replies} order by ordinal desc offset $2 limit $3`)

// Statements for a page of the replies that a viewer may read, counted from either end as well.
const readable = `${replies} and visibility = any(case when author_id = $4 then $5::text[] else $6::text[] end)`
const readableFromStart = withOpening(`${readable} order by ordinal offset $2 limit $3`)
const readableFromEnd = withOpening(`${readable} order by ordinal desc offset $2 limit $3`)

// And statements for the replies after one.
const afterOne = withOpening(`${replies} and ordinal > $2 order by ordinal limit $3`)
const readableAfterOne = withOpening(`${readable} and ordinal > $2 order by ordinal limit $3`)

const statementFor = (
  summary: ThreadSummary,
  { after: shown, page }: ReplyPlace,
  { count, only }: ReplySelection
) => {
  const { counts, id, repliesMade } = summary
  const pageSize = repliesOnPage(summary)
  if (shown !== undefined) {
    // One more than are shown tells whether there are more.
    const parameters = [id, shown, pageSize + 1]
    return only === undefined
      ? { text: afterOne, parameters }
      : {
          text: readableAfterOne,
          parameters: [...parameters, only.viewer ?? null, only.filter.own, only.filter.others]
        }
  }
  const offset = (page - 1) * pageSize
  const size = Math.max(0, Math.min(pageSize, count - offset))
  const after = Math.max(0, count - offset - size)
  const [first, isFromEnd] = offset <= after ? [offset, false] : [after, true]
  if (only !== undefined) {
    const { filter, viewer } = only
    return {
      text: isFromEnd ? readableFromEnd : readableFromStart,
      parameters: [id, first, size, viewer ?? null, filter.own, filter.others]
    }
  }
  return repliesMade === counts.replies
    ? { text: ofRange, parameters: [id, offset, offset + size] }
    : { text: isFromEnd ? fromEnd : fromStart, parameters: [id, first, size] }
}

type Row = OpeningRow & { readonly ordinal: number }

/** Whether replies follow those of a page, of which as many were found. */
const hasMore = ({ after, page }: ReplyPlace, pageSize: number, found: number, count: number): boolean =>
  after === undefined ? page * pageSize < count : found > pageSize

export const makeThreadPage = Effect.fnUntraced(function* (threads: ThreadReader) {
  const sql = yield* QuickReads
  const posts = yield* makePostReader

  return Effect.fnUntraced(function* (summary: ThreadSummary, place: ReplyPlace, selection: ReplySelection) {
    const { parameters, text } = statementFor(summary, place, selection)
    const size = repliesOnPage(summary)
    const [rows, header] = yield* Effect.all(
      [
        all(sql.unsafe<Row>(text, parameters)),
        threads.headersOf([summary], summary.tagsAndCategoriesVersion)
      ],
      { concurrency: "unbounded" }
    )
    const sorted = rows.toSorted((a, b) => a.ordinal - b.ordinal).slice(0, size + 1)
    const [opening, ...answers] = sorted
    if (opening?.id !== summary.id) return Option.none<ThreadPageContent>()
    const quoted = yield* posts.readQuoted(sorted)
    const details = yield* posts.detailsOf([...sorted, ...quoted], summary.peopleVersion)
    const thread = header(summary, details.post(opening, opening))
    const byId = new Map([...sorted, ...quoted].map((row) => [row.id, row]))
    const last = answers.at(-1)
    const isLast = last === undefined || !hasMore(place, size, rows.length - 1, selection.count)
    const next = isLast ? undefined : [String(last.ordinal)]
    return Option.some<ThreadPageContent>({
      thread,
      next,
      envelope: listEnvelope({
        place: { page: place.page, ...(place.after === undefined ? {} : { after: [String(place.after)] }) },
        next,
        size,
        total: selection.count,
        results: answers.length
      }),
      replies: answers.map((row) =>
        details.reply(row, row.reply_to_id === null ? undefined : byId.get(row.reply_to_id), opening)
      )
    })
  })
})
