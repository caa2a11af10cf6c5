/** Holds that what is stored, listed and told is what was acknowledged: each of it once, and nothing else. */
import { assert } from "vitest"
import type { Client } from "./client.ts"
import { keyOf, type Told } from "./following.ts"
import { add, isThere, type Ledger } from "./ledger.ts"

/** Where what was written is kept. */
export interface Stored {
  /** What a statement answers. */
  readonly rows: (statement: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

type Headers = Readonly<Record<string, string>>

/** All rows of a list in pages. */
const everyRow = async <Row>(
  client: Client,
  headers: Headers,
  path: string,
  rowsOf: (
    // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape.
    body: any
  ) => { readonly next_page?: number; readonly rows: ReadonlyArray<Row> }
): Promise<ReadonlyArray<Row>> => {
  const all: Array<Row> = []
  for (let page: number | undefined = 1; page !== undefined; ) {
    const { next_page, rows } = rowsOf(await client.read(`${path}?page=${page}`, headers))
    all.push(...rows)
    page = next_page
  }
  return all
}

const sorted = (lines: Iterable<string>) => [...lines].toSorted()

interface Thread {
  readonly id: string
  readonly title: string
  readonly category?: { readonly id: string }
  readonly likes: { readonly likes: number }
  readonly reply_status: { readonly replies: number }
}

/** Holds that lists and pages show what was acknowledged. */
export const checkContent = async (client: Client, headers: Headers, ledger: Ledger) => {
  const threads = await everyRow<Thread>(client, headers, "/threads", ({ next_page, threads }) => ({
    next_page,
    rows: threads
  }))
  const replies = [...ledger.replies].filter(([id]) => isThere(ledger, id))
  const inThread = (id: string) => replies.filter(([, { thread }]) => thread === id)
  const line = (id: string, ...facts: ReadonlyArray<unknown>) => [id, ...facts].join(" | ")
  assert.deepStrictEqual(
    sorted(
      threads.map(({ category, id, likes, reply_status, title }) =>
        line(id, title, category?.id, likes.likes, reply_status.replies)
      )
    ),
    sorted(
      [...ledger.threads]
        .filter(([, { isDeleted }]) => !isDeleted)
        .map(([id, { category, isLiked, title }]) =>
          line(id, title, category, Number(isLiked), inThread(id).length)
        )
    )
  )

  const shown: Array<string> = []
  for (const { id } of threads) {
    const rows = await everyRow<{ readonly id: string; readonly body: string }>(
      client,
      headers,
      `/threads/${id}`,
      ({ replies }) => ({ next_page: replies.next_page, rows: replies.replies })
    )
    shown.push(...rows.map((reply) => line(reply.id, id, reply.body)))
  }
  assert.deepStrictEqual(
    sorted(shown),
    sorted(replies.map(([id, { text, thread }]) => line(id, thread, `<body>${text}</body>`)))
  )

  const inCategory = (id: string) =>
    [...ledger.threads.values()].filter(({ category, isDeleted }) => category === id && !isDeleted).length
  const { categories } = await client.read("/categories", headers)
  assert.deepStrictEqual(
    sorted(
      categories.map(({ description, id, name, postCount, slug }: Readonly<Record<string, string>>) =>
        line(String(id), slug, name, description, postCount)
      )
    ),
    sorted(
      [...ledger.categories]
        .filter(([, { isDeleted }]) => !isDeleted)
        .map(([id, { description, name, slug }]) => line(id, slug, name, description, inCategory(id)))
    )
  )
}

const linesOf = (counts: ReadonlyMap<string, number>) =>
  sorted(counts.entries().map(([key, count]) => `${key}: ${count}`))

const counted = new Set([
  "ThreadPublished",
  "ThreadUpdated",
  "ThreadDeleted",
  "ThreadReplyCreated",
  "ThreadReplyUpdated",
  "ThreadReplyDeleted",
  "PostLiked",
  "PostUnliked",
  "CategoryUpdated",
  "CategoryDeleted"
])

const isCounted = (key: string) => counted.has(key.slice("Event".length, key.indexOf(" ")))

/** Holds that the log has one event of each write, that none was given up, and that no key is left without an answer. */
export const checkStored = async ({ rows }: Stored, ledger: Ledger) => {
  const logged = await rows(`select 'Event' || tag || ' ' ||
      coalesce(event->>'reply_id', event->>'post_id', event->>'id') as key, count(*)::int as count
    from event_log where tag in (${[...counted].map((tag) => `'${tag}'`).join()}) group by 1`)
  assert.deepStrictEqual(
    linesOf(new Map(logged.map(({ count, key }) => [String(key), Number(count)]))),
    linesOf(ledger.changes)
  )
  assert.deepStrictEqual(await rows("select * from parked_events"), [])
  assert.deepStrictEqual(
    await rows("select key, claimed_at from idempotency_keys where answered_at is null"),
    []
  )
  // Of a run that lasts beyond midnight (UTC), the count of yesterday is gone.
  const miscounted = await rows(`select account_id, kept, keys from idempotency_counts
      natural join (select account_id, count(*) as keys, min(claimed_at) as first from idempotency_keys group by 1) k
    where kept <> keys and (first at time zone 'utc')::date = day`)
  assert.deepStrictEqual(miscounted, [])
}

/** All changes that somebody may know of, oldest first. */
const changesOf = async (client: Client, headers: Headers, from: string) => {
  const all: Array<Told> = []
  for (let after = from, more = true; more; ) {
    const page = await client.read(`/changes?limit=500&after=${after}`, headers)
    for (const { event, id } of page.changes) all.push({ id, key: keyOf(event) })
    after = page.next
    more = page.more
  }
  return all
}

const idsOf = (told: ReadonlyArray<Told>) => told.map(({ id }) => id)

/**
 * Holds that changes are told once each and in one order, whoever asks: of what is still there as often as it was
 * changed, of what is gone at most so often.
 */
export const checkTold = async (
  client: Client,
  headers: Headers,
  ledger: Ledger,
  from: string,
  told: ReadonlyArray<Told>,
  untilTold: (last: string) => Promise<void>
) => {
  const listed = await changesOf(client, headers, from)
  assert.strictEqual(new Set(idsOf(listed)).size, listed.length)
  const counts = new Map<string, number>()
  for (const { key } of listed) if (isCounted(key)) add(counts, key)
  for (const [key, count] of counts) assert.isAtMost(count, ledger.changes.get(key) ?? 0, key)
  const isComplete = (key: string) => isThere(ledger, key.slice(key.indexOf(" ") + 1))
  const ofThere = (lines: ReadonlyMap<string, number>) =>
    linesOf(new Map(lines.entries().filter(([key]) => isComplete(key))))
  assert.deepStrictEqual(ofThere(counts), ofThere(ledger.changes))

  await untilTold(listed.at(-1)?.id ?? "")
  assert.strictEqual(new Set(idsOf(told)).size, told.length)
  const now = new Set(idsOf(listed))
  assert.deepStrictEqual(
    idsOf(told).filter((id) => now.has(id)),
    idsOf(listed)
  )
}
