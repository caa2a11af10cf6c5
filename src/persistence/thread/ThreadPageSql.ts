/** A page of a thread: its opening post and a page of its replies, found by their numbers. */
import { Effect, Option } from "effect"
import { pageEnvelope } from "../../domain/shared/Page.ts"
import type { ReplySelection, ThreadPageContent } from "../../domain/thread/ThreadContent.ts"
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

const statementFor = (summary: ThreadSummary, page: number, { count, only }: ReplySelection) => {
  const { counts, id, repliesMade } = summary
  const pageSize = repliesOnPage(summary)
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

export const makeThreadPage = Effect.fnUntraced(function* (threads: ThreadReader) {
  const sql = yield* QuickReads
  const posts = yield* makePostReader

  return Effect.fnUntraced(function* (summary: ThreadSummary, page: number, selection: ReplySelection) {
    const { parameters, text } = statementFor(summary, page, selection)
    const [rows, header] = yield* Effect.all(
      [
        all(sql.unsafe<Row>(text, parameters)),
        threads.headersOf([summary], summary.tagsAndCategoriesVersion)
      ],
      { concurrency: "unbounded" }
    )
    const sorted = rows.toSorted((a, b) => a.ordinal - b.ordinal)
    const [opening, ...answers] = sorted
    if (opening?.id !== summary.id) return Option.none<ThreadPageContent>()
    const quoted = yield* posts.readQuoted(sorted)
    const details = yield* posts.detailsOf([...sorted, ...quoted], summary.peopleVersion)
    const thread = header(summary, details.post(opening, opening))
    const byId = new Map([...sorted, ...quoted].map((row) => [row.id, row]))
    return Option.some<ThreadPageContent>({
      thread,
      envelope: pageEnvelope({
        current: page,
        size: repliesOnPage(summary),
        total: selection.count,
        results: answers.length
      }),
      replies: answers.map((row) =>
        details.reply(row, row.reply_to_id === null ? undefined : byId.get(row.reply_to_id), opening)
      )
    })
  })
})
