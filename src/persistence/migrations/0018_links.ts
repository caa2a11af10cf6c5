import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { linkTextMax } from "../../domain/link/LinkText.ts"
import { searchTextOf } from "../link/LinkSearchText.ts"
import { migration } from "../shared/migration.ts"

const batchSize = 1000

interface LinkRow {
  readonly id: string
  readonly url: string
  readonly title: string
  readonly description: string
}

/** What is searched of the links that there are, a batch at a time. */
export const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let done = ""
  for (;;) {
    const rows = yield* sql<LinkRow>`select id, url, title, description from links
      where id > ${done} order by id limit ${batchSize}`
    const last = rows.at(-1)
    if (last === undefined) return
    const ids = rows.map(({ id }) => id)
    const texts = rows.map((row) => searchTextOf(row.url, row))
    yield* sql`update links l set search_text = new.text
      from unnest(${ids}::text[], ${texts}::text[]) as new (id, text) where l.id = new.id`
    done = last.id
  }
})

const texts = Effect.andThen(
  Effect.andThen(
    migration([
      // Three lines: the title, the description, the address. What is searched for has no line break.
      `alter table links add column search_text text not null default ''`
    ]),
    fill
  ),
  migration([
    `create index links_search_text on links using gin (search_text gin_trgm_ops)`,
    `alter table links add constraint links_text_length check (
      char_length(title) <= ${linkTextMax.title} and char_length(description) <= ${linkTextMax.description})`,
    // Whose words the title and the description are, if they are not the page's.
    `alter table links add column described_by text references accounts (id) on delete set null`,
    `create index links_described_by on links (described_by) where described_by is not null`
  ])
)

const lists = migration([
  `create index links_newest on links (created_at desc, id desc)`,
  // Those about a link, newest first.
  `drop index threads_link_id`,
  `create index threads_link_id on threads (link_id, id) where link_id is not null`,

  // How many links there are. Several rows, and each connection has its own, so that writers rarely wait.
  `create table link_totals (
    shard smallint primary key,
    links integer not null
  )`,
  `insert into link_totals (shard, links) select generate_series(0, 15), 0`,
  `update link_totals set links = (select count(*) from links) where shard = 0`,
  `create function count_links() returns trigger language plpgsql as $$
    begin
      update link_totals set links = links + case when tg_op = 'INSERT' then 1 else -1 end
        where shard = pg_backend_pid() % 16;
      return null;
    end $$`,
  // Deferred, so that a transaction takes the one row that others may wait for when it has taken all others.
  `create constraint trigger links_count after insert or delete on links deferrable initially deferred
    for each row execute function count_links()`
])

const fetches = migration([
  // The pages of links that are to be read, or have been. What waits has a time at which it is due.
  `create table link_fetches (
    link_id text primary key references links (id) on delete cascade,
    host text not null,
    due_at timestamptz,
    tries integer not null default 0 check (tries >= 0),
    ended_at timestamptz,
    -- Why the last try read no page.
    reason text check (length(reason) <= 100),
    -- It waits, or it is over.
    check ((due_at is null) <> (ended_at is null))
  )`,
  `create index link_fetches_due on link_fetches (due_at, link_id) where due_at is not null`
])

// Copies, so that readers need not ask the page's server.
const pictures = migration([
  `alter table links
    add column favicon_id text references assets (id) on delete set null,
    add column primary_image_id text references assets (id) on delete set null`,
  `create index links_favicon_id on links (favicon_id) where favicon_id is not null`,
  `create index links_primary_image_id on links (primary_image_id) where primary_image_id is not null`
])

export default Effect.all([texts, lists, fetches, pictures], { discard: true })
