/**
 * Walks by keys over lists that change between the pages: what exists throughout is shown once, in order. The rows are
 * random, with many equal values, and so is what is inserted and removed.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { room } from "../../src/domain/answer/AnswerRoom.ts"
import type { ListPlace, RowKey } from "../../src/domain/shared/ListPlace.ts"
import { QuickReads } from "../../src/persistence/shared/Connections.ts"
import { foundPage } from "../../src/persistence/shared/FoundRows.ts"
import { type ListPage, pagedList, type Total } from "../../src/persistence/shared/PagedList.ts"
import type { Direction, RowOrder } from "../../src/persistence/shared/RowOrder.ts"
import * as People from "../support/people.ts"

interface Row {
  readonly id: string
  readonly micros: number
  readonly rank: number
  readonly size: number
}

const pageSize = 4

const cursors = { write: () => "", refuse: Effect.die("No key of this list") }

/** Columns of the order beside the id, and where they go. */
type Ways = readonly [at: Direction, rank: Direction, id: Direction]

const orderOf = (prefix: string, [at, rank, id]: Ways): RowOrder => [
  [`${prefix}at`, at, "timestamptz"],
  [`${prefix}rank`, rank, "integer"],
  [`${prefix}id`, id, "text"]
]

const comparing = ([at, rank, id]: Ways) => {
  const sign = (way: Direction) => (way === "asc" ? 1 : -1)
  return (one: Row, other: Row) =>
    sign(at) * (one.micros - other.micros) ||
    sign(rank) * (one.rank - other.rank) ||
    sign(id) * (one.id < other.id ? -1 : 1)
}

const ways: ReadonlyArray<Ways> = [
  ["desc", "desc", "desc"],
  ["asc", "asc", "asc"],
  ["desc", "asc", "asc"],
  ["asc", "desc", "asc"]
]

const shape = (way: Ways) => ({
  table: "walked",
  row: "w",
  columns: "w.id, w.at, w.rank, w.size",
  order: orderOf("w.", way),
  pageSize
})

const conditions = () => []

/** The ways in which lists are read. */
const readers: Readonly<
  Record<
    string,
    (sql: SqlClient.SqlClient, place: ListPlace, way: Ways) => Effect.Effect<ListPage<Total, Row>, unknown>
  >
> = {
  "by index": (sql, place, way) => pagedList<Row>(shape(way)).page(sql, { place, conditions: conditions() }),
  "as read": (sql, place, way) =>
    pagedList<Row>({ ...shape(way), isNarrow: true }).page(sql, { place, conditions: conditions() }),
  "with large rows": (sql, place, way) =>
    pagedList<Row>({ ...shape(way), size: "w.size" }).page(sql, { place, conditions: conditions() }),
  "by a text": (sql, place, way) =>
    pagedList<Row>({ ...shape(way), size: "w.size" }).search(sql, { place, conditions: [sql`w.rank >= 0`] }),
  found: (sql, place, way) =>
    foundPage<Row>(sql, {
      place,
      pageSize,
      found: sql`select * from walked`,
      size: "size",
      order: orderOf("", way),
      columns: "page.id, page.rank"
    })
}

const someRow = fc.record({
  micros: fc.nat(5),
  rank: fc.nat(2),
  size: fc.constantFrom(0, 0, 0, 0, 0.3, 0.6, 1, 3)
})

const history = fc.record({
  rows: fc.array(someRow, { maxLength: 30 }),
  steps: fc.array(
    fc.record({
      added: fc.array(someRow, { maxLength: 3 }),
      removed: fc.array(fc.nat(40), { maxLength: 3 })
    }),
    {
      minLength: 60,
      maxLength: 60
    }
  )
})

layer(People.layer)("walks by keys", (it) => {
  it.effect("show what exists throughout once and in order, whatever comes and goes between the pages", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reads = yield* QuickReads
      yield* sql`create table walked (id text primary key, at timestamptz, rank int, size int)`
      const world = new Map<string, Row>()
      let made = 0
      const add = Effect.fnUntraced(function* (row: Omit<Row, "id">) {
        // Neither in the order in which they are made, nor against it.
        const id = String((++made * 7919) % 100_003).padStart(6, "0")
        const size = Math.round(row.size * room)
        world.set(id, { ...row, id, size })
        yield* sql`insert into walked values (${id}, timestamptz 'epoch' + ${row.micros}::int * interval '1 microsecond',
          ${row.rank}, ${size})`
      })
      const remove = Effect.fnUntraced(function* (id: string) {
        world.delete(id)
        yield* sql`delete from walked where id = ${id}`
      })
      const histories = fc.sample(history, { numRuns: 12, seed: 20_261_126 })
      for (const [name, read] of Object.entries(readers)) {
        for (const [run, { rows, steps }] of histories.entries()) {
          const way = ways[run % ways.length] ?? ["asc", "asc", "asc"]
          const about = `${name}, ${way.join(" ")}, history ${run}`
          world.clear()
          yield* sql`delete from walked`
          for (const row of rows) yield* add(row)
          const all = new Map(world)
          const throughout = new Set(world.keys())
          const shown: Array<string> = []
          let after: RowKey | undefined
          for (const [index, { added, removed }] of steps.entries()) {
            const place = after === undefined ? { page: 1, cursors } : { page: index + 1, after, cursors }
            const page = yield* read(reads, place, way)
            const ids = page.rows.map(({ id }) => id)
            assert.isAtMost(ids.length, pageSize, about)
            if (page.next !== undefined) assert.isNotEmpty(ids, about)
            shown.push(...ids)
            after = page.next
            if (after === undefined) break
            for (const row of added) yield* add(row)
            for (const one of removed) {
              const id = [...world.keys()][one]
              if (id === undefined) continue
              yield* remove(id)
              throughout.delete(id)
            }
            for (const [id, row] of world) all.set(id, row)
          }
          assert.isUndefined(after, about)
          assert.deepStrictEqual(
            shown,
            shown
              .flatMap((id) => all.get(id) ?? [])
              .sort(comparing(way))
              .map(({ id }) => id),
            about
          )
          assert.strictEqual(new Set(shown).size, shown.length, about)
          for (const id of throughout) assert.include(shown, id, about)
        }
      }
    })
  )

  it.effect("find the next rows by the index, however far they have come", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table far (id text primary key, at timestamptz not null, rank int not null)`
      yield* sql`insert into far select lpad(n::text, 8, '0'), 'epoch'::timestamptz + n / 1000 * interval '1 microsecond',
        n / 5000 from generate_series(1, 20000) n`
      yield* sql`create index far_by_time on far (at desc, id desc)`
      yield* sql`create index far_by_rank on far (rank desc, id)`
      yield* sql.unsafe("analyze far")
      const lists: ReadonlyArray<readonly [RowOrder, RowKey]> = [
        [
          [
            ["f.at", "desc", "timestamptz"],
            ["f.id", "desc", "text"]
          ],
          ["1970-01-01T00:00:00.000003Z", "00003500"]
        ],
        [
          [
            ["f.rank", "desc", "integer"],
            ["f.id", "asc", "text"]
          ],
          ["1", "00008000"]
        ]
      ]
      for (const [order, after] of lists) {
        const list = pagedList<{ readonly id: string }>({
          table: "far",
          row: "f",
          columns: "f.id",
          order,
          pageSize: 50
        })
        // How many rows and entries of indexes the transaction has read.
        const { found, read } = yield* sql.withTransaction(
          Effect.gen(function* () {
            const readSoFar = sql<{
              readonly read: number
            }>`select sum(pg_stat_get_xact_tuples_returned(oid))::int as read
              from pg_class where relname in ('far', 'far_pkey', 'far_by_time', 'far_by_rank')`
            const [before] = yield* readSoFar
            const found = yield* list.page(sql, {
              place: { page: 400, after, cursors },
              conditions: [],
              facts: sql`select 20000 as total`
            })
            const [then] = yield* readSoFar
            return { found, read: (then?.read ?? 0) - (before?.read ?? 0) }
          })
        )
        assert.lengthOf(found.rows, 50)
        assert.isDefined(found.next)
        assert.isBelow(read, 400, JSON.stringify(order))
      }
    })
  )
})
