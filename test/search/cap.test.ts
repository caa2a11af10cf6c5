/** Which of many results are counted and shown, and in what order, compared with a plain reading of the rule. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { pageSize, resultsMax } from "../../src/domain/search/Search.ts"
import { type SearchFilter, SearchStore } from "../../src/domain/search/SearchStore.ts"
import { AccountId, CategoryId, TagId } from "../../src/domain/shared/Id.ts"
import { firstPage, numberedPage } from "../../src/domain/shared/ListPlace.ts"
import { searchKey } from "../../src/domain/text/SearchText.ts"
import { ok } from "../support/answers.ts"
import { category, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"

interface TextRow {
  readonly id: string
  readonly kind: "thread" | "reply" | "node"
  readonly author_id: string
  readonly created_at: Date
  readonly title: string | null
  readonly body: string
  readonly is_shown: boolean
  readonly category_id: string | null
  readonly tag_ids: ReadonlyArray<string>
}

interface Found {
  readonly row: TextRow
  readonly inTitle: number
  readonly rank: number
}

const newestFirst = (a: TextRow, b: TextRow) =>
  b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1)

const bestFirst = (a: Found, b: Found) =>
  b.inTitle - a.inTitle || b.rank - a.rank || newestFirst(a.row, b.row)

const isSelected = (row: TextRow, { authors, categories, kinds, tags }: SearchFilter) =>
  row.is_shown &&
  kinds.includes(row.kind) &&
  (authors.length === 0 || authors.some((id) => id === row.author_id)) &&
  (categories.length === 0 || row.kind === "node" || categories.some((id) => id === row.category_id)) &&
  tags.every((id) => row.tag_ids.includes(id))

/** The ids that a search has to find, in their order. */
const expectedOf = (rows: ReadonlyArray<TextRow>, filter: SearchFilter): ReadonlyArray<string> => {
  const key = searchKey(filter.text ?? "")
  const newest = (some: ReadonlyArray<TextRow>) => some.toSorted(newestFirst).slice(0, resultsMax)
  const inTitle = ({ title }: TextRow) => filter.text !== undefined && title?.includes(key) === true
  const found = [true, false].flatMap((areNodes): ReadonlyArray<Found> => {
    const source = rows.filter((row) => (row.kind === "node") === areNodes && isSelected(row, filter))
    const bodies = source.filter((row) => !inTitle(row) && row.body.includes(key))
    return [
      ...newest(source.filter(inTitle)).map((row) => ({
        row,
        inTitle: 1,
        rank: Number(row.title === key) + Number(row.title?.startsWith(key))
      })),
      ...newest(bodies).map((row) => ({
        row,
        inTitle: 0,
        rank: key === "" ? 0 : Math.min(5, row.body.slice(0, 4000).split(key).length - 1)
      }))
    ]
  })
  return found
    .toSorted(bestFirst)
    .slice(0, resultsMax)
    .map(({ row }) => row.id)
}

layer(People.layer)("a search with more results than are shown", (it) => {
  it.effect("shows the newest of each way to be found, the best first, whatever it is narrowed by", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const store = yield* SearchStore
      const place = yield* category(odin, "Place")
      const shown = yield* open(freya, "Shown", { category: place.id, tags: ["a", "b"] })
      const tagged = yield* open(loki, "Tagged", { tags: ["a"] })
      const plain = yield* open(loki, "Plain")
      const draft = yield* open(freya, "Draft", { visibility: "draft", category: place.id, tags: ["a"] })
      const gone = yield* open(freya, "Gone")
      ok(yield* freya.delete(`/threads/${gone.id}`))
      const threads = [shown, tagged, plain, draft, gone].map(({ id }) => id as string)
      const authors = [freya.id, loki.id]
      // The newest thousand texts do not have the word "former", and far more than five hundred of the others do.
      const text = sql.literal(`repeat('heapø', n % 8)
        || case when n < 4000 and n % 3 < 2 then repeat('formerø', 1 + n % 7) else '' end
        || case when n % 500 = 0 then repeat('x', 4000) || 'øformerøheap' else '' end || n`)
      const common = sql`(${authors}::text[])[1 + n % 2], timestamptz '2026-01-01Z' + (n / 7) * interval '1 minute',
        case when n % 7 = 6 then 'review' else 'published' end`
      yield* sql`insert into search_texts (id, kind, thread_id, author_id, created_at, visibility, body)
        select 'r' || lpad(n::text, 18, '0') || '0', 'reply', (${threads}::text[])[1 + n % 5], ${common}, ${text}
        from (select (n * 7919) % 8009 as n from generate_series(1, 8000) n) numbered`
      for (const kind of ["thread", "node"] as const) {
        yield* sql`insert into search_texts
            (id, kind, thread_id, author_id, created_at, visibility, body, title, slug, beginnings)
          select ${kind.slice(0, 1)} || lpad(n::text, 18, '0') || '0', ${kind},
            (${kind === "node" ? null : threads}::text[])[1 + n % 5], ${common}, ${text},
            case n % 4 when 0 then 'other' when 1 then 'formerø' || n when 2 then n || 'øformer' else 'former' end,
            '', '{}'
          from generate_series(3000, 6000) n`
      }
      yield* sql`analyze search_texts`
      const rows =
        yield* sql<TextRow>`select s.id, s.kind, s.author_id, s.created_at, s.title, s.body, t.category_id,
          coalesce(t.tag_ids, '{}') as tag_ids, s.visibility = 'published'
            and (s.kind = 'node' or (t.visibility = 'published' and t.deleted_at is null)) as is_shown
        from search_texts s left join threads t on t.id = s.thread_id`
      const tags = yield* sql<{
        readonly id: string
      }>`select id from tags where name in ('a', 'b') order by name`
      const all = {
        kinds: ["thread", "reply", "node"],
        authors: [],
        categories: [],
        tags: [],
        text: undefined,
        place: firstPage
      } satisfies SearchFilter
      const tagIds = tags.map(({ id }) => TagId.make(id))
      const filters: ReadonlyArray<SearchFilter> = [
        all,
        { ...all, kinds: ["reply"] },
        { ...all, kinds: ["thread"] },
        { ...all, kinds: ["node"] },
        { ...all, kinds: ["thread", "reply"], authors: [AccountId.make(freya.id)] },
        { ...all, categories: [CategoryId.make(place.id)] },
        { ...all, kinds: ["reply"], tags: tagIds.slice(0, 1) },
        { ...all, tags: tagIds, authors: [AccountId.make(loki.id)] }
      ]
      const lastPage = resultsMax / pageSize
      const some = [undefined, "former", "heap", "former 3"]
      const texts = [...some, "heap former", "former heap", "p 1", "none"]
      for (const filter of filters) {
        for (const text of filter === all ? texts : some) {
          const sought = { ...filter, text }
          const expected = expectedOf(rows, sought)
          for (const page of [1, 2, lastPage, lastPage + 1]) {
            const { found, total } = yield* store.search({ ...sought, place: numberedPage(page) })
            const ids = expected.slice((page - 1) * pageSize, page * pageSize)
            const what = JSON.stringify({ ...sought, page })
            assert.deepStrictEqual(
              found.map(({ id }): string => id),
              ids,
              what
            )
            assert.strictEqual(total, expected.length, what)
          }
        }
      }
      const { next_page, results, total_pages } = ok(yield* guest.get("/datagraph?q=former&page=10"))
      assert.deepStrictEqual([total_pages, next_page, results], [10, undefined, 0])
    })
  )
})
