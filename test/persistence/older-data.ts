/** What databases of older schemas hold. Each part is for schemas from one migration on, as that migration made them. */

const id = (n: number, kind: string) => `${kind}${String(n).padStart(18, "0")}0`

const account = (n: number) => id(n, "a")
const thread = (n: number) => id(n, "t")
const post = (n: number) => id(n, "p")
const link = (n: number) => id(n, "k")
const tag = (n: number) => id(n, "g")
const category = id(1, "c")
const day = "'2025-01-02T03:04:05Z'"

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

/** From migration 10 on: people and what they talk about. */
const discussion = [
  ...numbers(3).map(
    (n) => `insert into accounts (id, created_at, updated_at, handle, name, handle_key, admin)
      values ('${account(n)}', ${day}, ${day}, 'person-${n}', 'Person ${n}', 'person-${n}', ${n === 1})`
  ),
  `insert into founder (account_id) values ('${account(1)}')`,
  `insert into passwords (account_id, created_at, updated_at, hash) select id, created_at, created_at, '-' from accounts`,
  `insert into roles (id, created_at, updated_at, name, colour, permissions, rank)
    values ('${id(1, "r")}', ${day}, ${day}, 'Editors', '#123456', '{MANAGE_POSTS}', 7)`,
  `insert into account_roles (account_id, role_id) values ('${account(2)}', '${id(1, "r")}')`,
  `insert into sessions (token_hash, account_id, created_at, expires_at)
    select sha256(id::bytea), id, ${day}, '2125-01-01' from accounts`,
  `insert into categories (id, created_at, updated_at, name, slug, description, colour)
    values ('${category}', ${day}, ${day}, 'Place', 'place', 'Where', '#abcdef')`,
  ...numbers(2).map(
    (n) => `insert into tags (id, created_at, name) values ('${tag(n)}', ${day}, 'tag ${n}')`
  ),
  ...numbers(4).map(
    (n) => `insert into links (id, created_at, updated_at, url, slug, domain, title, description)
      values ('${link(n)}', ${day}, ${day}, 'HTTPS://Pages.Example/${n}', 'pages-${n}', 'pages.example', 'Page ${n}', 'About')`
  ),
  `insert into links (id, created_at, updated_at, url, slug, domain)
    values ('${link(9)}', ${day}, ${day}, 'no address', 'no-address', 'none')`,
  ...numbers(3).flatMap((n) => [
    `insert into threads (id, created_at, author_id, category_id, link_id, visibility, active_at)
      values ('${thread(n)}', ${day}, '${account(n)}', '${category}', '${link(n)}',
        '${n === 3 ? "draft" : "published"}', ${day})`,
    `insert into posts (id, thread_id, author_id, created_at, updated_at, visibility, title, slug, body, description)
      values ('${thread(n)}', '${thread(n)}', '${account(n)}', ${day}, ${day},
        '${n === 3 ? "draft" : "published"}', 'Thread ${n}', 'thread-${n}', '<p>Words ${n}</p>', 'Words')`,
    `insert into posts (id, thread_id, author_id, created_at, updated_at, visibility, body, description, ordinal)
      values ('${post(n)}', '${thread(n)}', '${account(1)}', ${day}, ${day}, 'published',
        '<p><a href="https://pages.example/4">x</a></p>', 'x', 1)`,
    `insert into post_links (post_id, link_id, position) values ('${post(n)}', '${link(4)}', 0)`,
    `insert into thread_tags (thread_id, tag_id) values ('${thread(n)}', '${tag(1 + (n % 2))}')`,
    `insert into reacts (id, post_id, account_id, emoji, created_at)
      values ('${id(n, "e")}', '${thread(n)}', '${account(2)}', '👍', ${day})`,
    `insert into likes (id, post_id, account_id, created_at, thread_id)
      values ('${id(n, "l")}', '${post(n)}', '${account(2)}', ${day}, '${thread(n)}')`,
    `insert into read_marks (account_id, thread_id, read_at) values ('${account(3)}', '${thread(n)}', ${day})`
  ]),
  `insert into account_interests (account_id, tag_id) values ('${account(1)}', '${tag(1)}')`,
  `insert into event_log (occurred_at, actor_id, event)
    values (${day}, '${account(1)}', '{"_tag": "CategoryCreated", "id": "${category}"}')`,
  `insert into audit_events (id, occurred_at, type, enacted_by, subject, cause_id)
    values ('${id(1, "u")}', ${day}, 'thread_deleted', '${account(1)}', '{"thread_id": "${thread(1)}"}', 1)`,
  ...numbers(3).map(
    (
      n
    ) => `insert into notifications (id, created_at, account_id, event, source_id, item_kind, item_id, cause_id)
      values ('${id(n, "n")}', ${day}, '${account(n)}', 'post_like', '${account(2)}', 'post', '${thread(n)}', ${n})`
  )
]

/** From migration 24 on. */
const collectionsAndEvents = [
  `insert into assets (id, created_at, account_id, filename, original_name, mime_type, size, store)
    values ('${id(1, "s")}', ${day}, '${account(1)}', '${id(1, "s")}-a', 'a', 'text/plain', 3, 'disk')`,
  `insert into collections (id, created_at, updated_at, owner_id, name, slug)
    values ('${id(1, "o")}', ${day}, ${day}, '${account(1)}', 'Kept', 'kept')`,
  `insert into collection_items (id, collection_id, owner_id, added_by, added_at, membership_type, post_id, thread_id)
    values ('${id(1, "i")}', '${id(1, "o")}', '${account(1)}', '${account(2)}', ${day}, 'normal', '${thread(1)}', '${thread(1)}')`,
  `insert into calendar_events (id, created_at, updated_at, thread_id, name, slug, description, starts_at, ends_at,
      policy, visibility, meta, search)
    values ('${id(1, "v")}', ${day}, ${day}, '${thread(2)}', 'Meeting', 'meeting', '', ${day}, ${day},
      'open', 'published', '{}', 'meeting')`,
  `insert into calendar_participants (event_id, account_id, created_at, updated_at, role, status)
    values ('${id(1, "v")}', '${account(2)}', ${day}, ${day}, 'host', 'attending')`
]

/** From migration 31 on. */
const library = [
  ...numbers(2).map(
    (
      n
    ) => `insert into nodes (id, created_at, updated_at, owner_id, parent_id, position, name, slug, content, visibility, link_id)
      values ('${id(n, "d")}', ${day}, ${day}, '${account(1)}', ${n === 1 ? "null" : `'${id(1, "d")}'`}, 'a${n}',
        'Page ${n}', 'page-${n}', '<p>Text</p>', 'published', '${link(n)}')`
  ),
  `insert into node_tags (node_id, tag_id) values ('${id(1, "d")}', '${tag(1)}')`
]

/** From migration 42 on. */
const mailAndUploads = [
  ...numbers(2).map(
    (n) =>
      `insert into upload_totals (account_id, day, bytes) values ('${account(n)}', ${day}, ${n * 65_536})`
  ),
  `insert into account_emails (id, account_id, created_at, address, verified)
    values ('${id(1, "m")}', '${account(1)}', ${day}, 'one@people.example', true)`,
  `insert into email_queue (id, queued_at, updated_at, recipient_address, recipient_name, subject, text_body, html_body, due_at)
    values ('${id(1, "q")}', ${day}, ${day}, 'one@people.example', 'One', 'Hello', 'Hello', '<p>Hello</p>', ${day})`
]

const parts = [
  { from: 10, rows: discussion },
  { from: 24, rows: collectionsAndEvents },
  { from: 31, rows: library },
  { from: 42, rows: mailAndUploads }
] as const

/** The statements that write what a database held after this migration. */
export const olderData = (migration: number): ReadonlyArray<string> =>
  parts.filter(({ from }) => from <= migration).flatMap(({ rows }) => rows)
