/** A forum that has grown, with what is awkward of every kind: common words, long texts, and much that belongs to one. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

const accounts = 20_000
const threads = 5_000
const discussed = 2_000
const replies = 6_000
const tags = 20_000
const events = 3_000
/** Accounts that have a session. */
export const sessions = 200
const auditEvents = 50_000

type Kind =
  | "account"
  | "audit"
  | "category"
  | "collection"
  | "email"
  | "event"
  | "field"
  | "node"
  | "passkey"
  | "post"
  | "role"
  | "tag"
  | "thread"
  | "version"

const letters: { readonly [K in Kind | "item" | "like" | "follow"]: string } = {
  account: "a",
  audit: "u",
  category: "c",
  collection: "b",
  email: "m",
  event: "e",
  field: "d",
  follow: "f",
  item: "i",
  like: "k",
  node: "n",
  passkey: "h",
  post: "p",
  role: "r",
  tag: "g",
  thread: "t",
  version: "v"
}

/** Ids as the service could have made them: a letter for the kind, then a number. */
export const idOf = (kind: Kind, n: number) => `${letters[kind]}${n.toString(16).padStart(18, "0")}0`

export const sqlId = (kind: keyof typeof letters, n: string) =>
  `'${letters[kind]}' || lpad(to_hex(${n}), 18, '0') || '0'`

export const series = (count: number) => `from generate_series(0, ${count - 1}) n`

/** The first of those who follow the first account, like its first reply and hold the role `idOf("role", 0)`. */
export const members = (n: number) => {
  const account = n % sessions
  const token = String(account).padStart(43, "s")
  return { id: idOf("account", account), headers: { cookie: `forum-session=${token}` } }
}

/** What a search looks into has three thousand characters, all of them in common words. */
export const sentence = "a man had the idea that an area of data is as long as a banana. "
const body = `'<body><p>' || repeat('${sentence}', case when n < 500 then 300 else 45 end) || n || '</p></body>'`
export const at = (n: string) => `'2026-01-01Z'::timestamptz + ${n} * interval '1 second'`

const people = [
  `insert into accounts (id, created_at, updated_at, handle, handle_key, handle_form, name, name_form)
    select ${sqlId("account", "n")}, ${at("n")}, ${at("n")}, 'anna-' || n, 'anna-' || n, 'anna-' || n,
      'Anna Abara ' || n, 'anna abara ' || n ${series(accounts)}`,
  `insert into sessions (token_hash, account_id, created_at, expires_at)
    select sha256(convert_to(lpad(n::text, 43, 's'), 'utf8')), ${sqlId("account", "n")}, now(), now() + interval '1 year'
    ${series(sessions)}`,
  `insert into roles (id, created_at, updated_at, name, colour, permissions, rank)
    values ('${idOf("role", 0)}', now(), now(), 'Everybody', '', '{}', 7)`,
  `insert into account_roles (account_id, role_id)
    select ${sqlId("account", "n")}, '${idOf("role", 0)}' ${series(accounts)}`,
  `insert into follows (id, follower_id, followed_id, created_at)
    select ${sqlId("follow", "n")}, ${sqlId("account", "n")}, '${idOf("account", 0)}', ${at("n")}
    from generate_series(1, ${accounts - 1}) n`
]

const discussions = [
  `insert into categories (id, created_at, updated_at, name, slug, description, colour, sort, parent_id)
    select ${sqlId("category", "n")}, ${at("n")}, ${at("n")}, 'Category ' || n, 'category-' || n, '', '', n / 10,
      case when n >= 10 then ${sqlId("category", "n % 10")} end ${series(200)}`,
  `insert into tags (id, created_at, name, item_count)
    select ${sqlId("tag", "n")}, ${at("n")}, 'banana-' || n, n % 7 ${series(tags)}`,
  `insert into threads (id, created_at, author_id, category_id, visibility, reply_count, replies_made, last_reply_at, active_at)
    select ${sqlId("thread", "n")}, ${at("n")}, ${sqlId("account", "n % 50")}, ${sqlId("category", "n % 200")},
      'published', r.count, r.count, ${at("n")}, ${at("n")}
    from generate_series(0, ${threads - 1}) n,
      lateral (select case when n < ${discussed} then ${replies / discussed} else 0 end as count) r`,
  `insert into posts (id, thread_id, author_id, created_at, updated_at, visibility, title, slug, body, description)
    select ${sqlId("thread", "n")}, ${sqlId("thread", "n")}, ${sqlId("account", "n % 50")}, ${at("n")}, ${at("n")},
      'published', 'A man has a banana ' || n, ${sqlId("thread", "n")} || '-a-man-has-a-banana-' || n,
      '<body><p>Something long.</p></body>', 'Something long.' ${series(threads)}`,
  `insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, body, description)
    select ${sqlId("post", "n")}, ${sqlId("thread", `n % ${discussed}`)}, n / ${discussed} + 1,
      ${sqlId("account", "n % 50")}, ${at("n")}, ${at("n")}, 'published', ${body}, 'A man had the idea.' ${series(replies)}`,
  `insert into thread_tags (thread_id, tag_id)
    select ${sqlId("thread", "n")}, ${sqlId("tag", "m")} ${series(discussed)}, generate_series(0, 4) m`,
  `update threads t set opening_weight = w.opening, reply_weight = w.reply
    from (
      select thread_id, coalesce(max(weight) filter (where ordinal = 0), 0) as opening,
        coalesce(max(weight) filter (where ordinal > 0), 0) as reply
      from (select thread_id, ordinal, post_weight(body, meta, link_count, react_count) as weight from posts) p
      group by thread_id
    ) w where t.id = w.thread_id`,
  `update thread_totals set published = ${threads} where shard = 0`,
  `insert into author_totals (author_id, category_id, published)
    select author_id, category_id, count(*) from threads group by 1, 2`
]

const found = [
  // An index is made faster of all rows than row by row.
  `do $$
    declare
      replies_index text := pg_get_indexdef('search_texts_replies'::regclass);
    begin
      drop index search_texts_replies;
      insert into search_texts (id, kind, thread_id, author_id, created_at, visibility, title, slug, beginnings, body)
        select id, case when id = thread_id then 'thread' else 'reply' end, thread_id, author_id, created_at,
          visibility, replace(lower(title), ' ', 'ø'), slug,
          case when title is not null then array[lower(title), substr(lower(title), 3), substr(lower(title), 7)] end,
          replace(lower(regexp_replace(body, '<[^>]*>', '', 'g')), ' ', 'ø')
        from posts;
      execute replies_index;
    end $$`
]

const belongings = [
  `insert into likes (id, post_id, thread_id, account_id, created_at)
    select ${sqlId("like", "n")}, '${idOf("post", 0)}', '${idOf("thread", 0)}', ${sqlId("account", "n")}, ${at("n")}
    ${series(accounts)}`,
  // Its triggers are made for a few rows at a time.
  `set local session_replication_role = replica`,
  `insert into likes (id, post_id, thread_id, account_id, created_at)
    select ${sqlId("like", `n + ${accounts}`)}, ${sqlId("post", "n")}, ${sqlId("thread", `n % ${discussed}`)},
      '${idOf("account", 1)}', ${at("n")} from generate_series(1, ${replies - 1}) n`,
  `update posts set like_count = 1 where ordinal > 0 and id <> '${idOf("post", 0)}'`,
  `set local session_replication_role = origin`,
  `insert into collections (id, created_at, updated_at, owner_id, name, slug)
    select ${sqlId("collection", "n")}, ${at("n")}, ${at("n")}, '${idOf("account", 0)}', 'Worth keeping', 'worth-keeping'
    ${series(500)}`,
  `insert into collection_items (id, collection_id, owner_id, added_by, added_at, membership_type, post_id, thread_id)
    select ${sqlId("item", "n")}, '${idOf("collection", 0)}', '${idOf("account", 0)}', '${idOf("account", 0)}', ${at("n")},
      'normal', ${sqlId("post", "n")}, ${sqlId("thread", `n % ${discussed}`)} ${series(500)}`,
  `insert into calendar_events (id, created_at, updated_at, thread_id, name, slug, description, starts_at, ends_at,
      policy, visibility, meta, search)
    select ${sqlId("event", "n")}, ${at("n")}, ${at("n")}, ${sqlId("thread", `n + ${threads - events}`)}, 'Banana ' || n,
      'banana-' || n, '', ${at("n")}, ${at("n")}, 'open', 'published', '{}', e'banana ' || n || e'\\n' ${series(events)}`,
  `insert into calendar_participants (event_id, account_id, created_at, updated_at, role, status)
    select ${sqlId("event", "n")}, '${idOf("account", 0)}', ${at("n")}, ${at("n")}, 'host', 'attending' ${series(events)}`
]

const records = [
  `insert into audit_events (id, occurred_at, type, subject, cause_id)
    select ${sqlId("audit", "n")}, ${at("n")}, case when n % 3 = 0 then 'account_suspended' else 'thread_deleted' end,
      case when n % 3 = 0 then jsonb_build_object('account_id', ${sqlId("account", "n")})
        else jsonb_build_object('thread_id', ${sqlId("thread", "n")}) end, -1 - n
    ${series(auditEvents)}`
]

/** The lists of the filter for words are as long as they may be, and texts may be as long as any setting allows. */
const settings = `update settings set value = jsonb_build_object(
    'thread_body_length_max', 524288, 'reply_body_length_max', 131072,
    'word_block_list', (select jsonb_agg(lpad(n::text, 50, 'ab') || repeat('a', 50)) ${series(1000)}),
    'word_report_list', (select jsonb_agg(repeat('a', 90) || n || 'b') ${series(1000)}))
  where part = 'moderation'`

const everything = [...people, ...discussions, ...found, ...belongings, ...records, settings]

/** Writes into the database of a forum, in seconds: what all attacks need, or something else. */
export const seed = (database: string, statements: ReadonlyArray<string> = everything): Promise<void> => {
  const { pathname, searchParams } = new URL(database)
  const client = PgClient.layer({
    host: searchParams.get("host") ?? "",
    port: Number(searchParams.get("port")),
    username: searchParams.get("user") ?? "",
    password: Redacted.make(searchParams.get("password") ?? ""),
    database: pathname.slice(1),
    maxConnections: 1
  })
  const run = PgClient.PgClient.use((sql) =>
    Effect.andThen(
      sql.withTransaction(
        Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
      ),
      sql.unsafe("vacuum analyze")
    )
  )
  return Effect.runPromise(Effect.scoped(Effect.asVoid(Effect.provide(run, client))))
}
