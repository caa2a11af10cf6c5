/** A forum of 10,000 threads and 1,000,000 posts by 100,000 accounts, the same in every run. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { library } from "./librarySeed.ts"
import { administrator, people } from "./peopleSeed.ts"
import { accounts, idOf, paragraph, sqlId } from "./seedParts.ts"

export { idOf } from "./seedParts.ts"

export const threads = 10_000
export const repliesPerThread = 99
export const tags = 10_000
// The others have no threads.
const tagsOfThreads = 50

/** The sessions of the seeded account whose requests are signed in, and of the administrator. */
export const sessionToken = "b".repeat(43)
export const staffToken = "s".repeat(43)

const session = (token: string, account: number) =>
  `('\\x${createHash("sha256").update(token).digest("hex")}', '${idOf("a", account)}', now(), now() + interval '10 years')`

const statements = [
  ...people,
  `insert into categories (id, created_at, updated_at, name, slug, description, colour, sort, post_count)
    select ${sqlId("c", "n")}, '2026-01-01Z', '2026-01-01Z', 'Category ' || n, 'category-' || n, '', '', n, ${threads / 20}
    from generate_series(0, 19) n`,
  `insert into threads (id, created_at, author_id, category_id, visibility, reply_count, replies_made,
      last_reply_at, active_at)
    select ${sqlId("t", "n")}, '2026-01-01Z'::timestamptz + n * interval '1 minute',
      ${sqlId("a", `n % ${accounts}`)}, ${sqlId("c", "n % 20")}, 'published', ${repliesPerThread}, ${repliesPerThread},
      '2026-02-01Z'::timestamptz + n * interval '1 minute', '2026-02-01Z'::timestamptz + n * interval '1 minute'
    from generate_series(0, ${threads - 1}) n`,
  `insert into posts (id, thread_id, author_id, created_at, updated_at, visibility, title, slug, body, description)
    select ${sqlId("t", "n")}, ${sqlId("t", "n")}, ${sqlId("a", `n % ${accounts}`)},
      '2026-01-01Z'::timestamptz + n * interval '1 minute', '2026-01-01Z'::timestamptz + n * interval '1 minute',
      'published', 'Thread number ' || n, ${sqlId("t", "n")} || '-thread-number-' || n,
      '<body>' || ${paragraph} || '</body>', 'The quick brown fox jumps over the lazy dog.'
    from generate_series(0, ${threads - 1}) n`,
  `insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, body, description)
    select ${sqlId("p", "n")}, ${sqlId("t", `n % ${threads}`)}, n / ${threads} + 1, ${sqlId("a", `(n * 7 + (n / ${threads}) * (n / ${threads}) * 13) % ${accounts}`)},
      '2026-01-15Z'::timestamptz + n * interval '1 second', '2026-01-15Z'::timestamptz + n * interval '1 second',
      'published', '<body>' || ${paragraph} || '</body>', 'The quick brown fox jumps over the lazy dog.'
    from generate_series(0, ${threads * repliesPerThread - 1}) n`,
  `insert into likes (id, post_id, thread_id, account_id, created_at)
    select ${sqlId("k", "n")}, ${sqlId("p", "n * 3")}, ${sqlId("t", `(n * 3) % ${threads}`)}, ${sqlId("a", `n % ${accounts}`)}, '2026-03-01Z'
    from generate_series(0, ${Math.floor((threads * repliesPerThread) / 3) - 1}) n`,
  `insert into reacts (id, post_id, account_id, emoji, created_at)
    select ${sqlId("e", "n")}, ${sqlId("p", "n * 5")}, ${sqlId("a", `n % ${accounts}`)}, '👍', '2026-03-01Z'
    from generate_series(0, ${Math.floor((threads * repliesPerThread) / 5) - 1}) n`,
  `update threads t set opening_weight = w.opening, reply_weight = w.reply
    from (
      select thread_id, max(weight) filter (where ordinal = 0) as opening, max(weight) filter (where ordinal > 0) as reply
      from (select thread_id, ordinal, post_weight(body, meta, link_count, react_count) as weight from posts) p
      group by thread_id
    ) w where t.id = w.thread_id`,
  // As the service folds such texts. An index is made faster of all rows than row by row.
  `do $$
    declare
      replies_index text := pg_get_indexdef('search_texts_replies'::regclass);
    begin
      drop index search_texts_replies;
      insert into search_texts
          (id, kind, thread_id, author_id, created_at, visibility, title, slug, beginnings, body)
        select id, case when id = thread_id then 'thread' else 'reply' end, thread_id, author_id, created_at,
          visibility, replace(lower(title), ' ', 'ø'), slug,
          case when title is not null then array[lower(title), substr(lower(title), 8), substr(lower(title), 15)] end,
          replace(lower(regexp_replace(body, '<[^>]*>', '', 'g')), ' ', 'ø')
        from posts;
      execute replies_index;
    end $$`,
  `insert into thread_participants (thread_id, account_id, replies)
    select thread_id, author_id, count(*) from posts where id <> thread_id group by 1, 2`,
  `insert into tags (id, created_at, name, item_count)
    select ${sqlId("g", "n")}, '2026-01-01Z', 'tag-' || n,
      case when n < ${tagsOfThreads} then ${threads / tagsOfThreads} else 0 end
    from generate_series(0, ${tags - 1}) n`,
  `insert into thread_tags (thread_id, tag_id)
    select ${sqlId("t", "n")}, ${sqlId("g", `n % ${tagsOfThreads}`)} from generate_series(0, ${threads - 1}) n`,
  `insert into read_marks (account_id, thread_id, read_at, replies_read)
    select ${sqlId("a", "0")}, ${sqlId("t", "n * 5")}, '2026-01-20Z',
      (select count(*) from posts where thread_id = ${sqlId("t", "n * 5")} and ordinal > 0 and created_at <= '2026-01-20Z')
    from generate_series(0, ${threads / 5 - 1}) n`,
  `update thread_totals set published = ${threads} where shard = 0`,
  `insert into author_totals (author_id, category_id, published)
    select author_id, category_id, count(*) from threads group by 1, 2`,
  ...library,
  `insert into sessions (token_hash, account_id, created_at, expires_at)
    values ${session(sessionToken, 0)}, ${session(staffToken, administrator)}`
]

/** Fills an empty database; one that is filled stays as it is. */
export const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly filled: boolean }>`select exists (select from accounts) as filled`
  if (row?.filled === true) return
  yield* Effect.logInfo("Seeding 1,000,000 posts; later runs use them again")
  yield* sql.withTransaction(
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  )
  yield* sql.unsafe("vacuum (analyze)")
  yield* sql.unsafe("checkpoint")
})
