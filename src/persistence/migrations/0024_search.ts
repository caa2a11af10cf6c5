import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { RichText } from "../../domain/text/RichText.ts"
import { searchForm, searchFormOf, searchKey } from "../../domain/text/SearchText.ts"
import { beginningsOf, piecesOf } from "../../domain/text/Terms.ts"
import { migration } from "../shared/migration.ts"

// In kilobytes: what a few thousand texts add to an index before it is merged, which is done beside requests.
const pendingMax = 65_536

// Few enough that the longest bodies fit into memory together.
const batchSize = 200

interface PostRow {
  readonly id: string
  readonly title: string | null
  readonly slug: string | null
  readonly body: RichText
}

const formOf = (post: PostRow) => {
  const title = searchForm(post.title ?? "").trim()
  const body = searchFormOf(post.body)
  return {
    id: post.id,
    title: searchKey(title),
    slug: searchKey(searchForm(post.slug ?? "")),
    beginnings: beginningsOf(title).join("\n"),
    body: searchKey(body),
    pieces: piecesOf(body).join("\n")
  }
}

/** The texts of the posts that there are, a batch at a time: one pass over them in the order of their ids. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let done = ""
  for (;;) {
    const rows = yield* sql<PostRow>`select id, title, slug, body from posts
      where id > ${done} order by id limit ${batchSize}`
    const last = rows.at(-1)
    if (last === undefined) return
    const forms = rows.map(formOf)
    const column = (name: keyof ReturnType<typeof formOf>) => forms.map((form) => form[name])
    yield* sql`insert into search_texts
        (id, kind, thread_id, author_id, created_at, visibility, title, slug, beginnings, body, pieces)
      select p.id, case when p.title is null then 'reply' else 'thread' end, t.id, p.author_id, p.created_at,
        p.visibility, case when p.title is not null then f.title end, case when p.title is not null then f.slug end,
        case when p.title is not null then string_to_array(f.beginnings, e'\n') end, f.body,
        array_to_tsvector(string_to_array(nullif(f.pieces, ''), e'\n'))
      from unnest(${column("id")}::text[], ${column("title")}::text[], ${column("slug")}::text[],
        ${column("beginnings")}::text[], ${column("body")}::text[], ${column("pieces")}::text[])
        f (id, title, slug, beginnings, body, pieces)
      join posts p on p.id = f.id join threads t on t.id = p.thread_id
      where p.deleted_at is null and t.deleted_at is null`
    done = last.id
  }
})

// What people see of threads, replies and pages, as `searchKey` makes it. Apart from them, so that
// nothing else reads it, and without what is deleted. Whether the thread of a reply is published is asked of the
// thread: it may have any number of replies.
const tables = migration([
  `drop table thread_texts`,
  `create table search_texts (
    -- Of the thread, the reply or the page.
    id text primary key,
    kind text not null check (kind in ('thread', 'reply', 'node')),
    -- The thread that it is or that it is in.
    thread_id text references threads (id) on delete cascade check ((kind = 'node') = (thread_id is null)),
    -- As it says of itself: who made it, which never changes, and when.
    author_id text not null,
    created_at timestamptz not null,
    visibility text not null check (visibility in ('draft', 'unlisted', 'review', 'published')),
    title text check ((kind = 'reply') = (title is null)),
    slug text check ((kind = 'reply') = (slug is null)),
    -- Of the title from each of its words on.
    beginnings text[] check ((kind = 'reply') = (beginnings is null)),
    body text not null,
    -- Of text without spaces, each two characters that follow each other; null where there is none.
    pieces tsvector
  )`,
  `create table search_words (
    word text collate "C" not null,
    item_id text not null references search_texts (id) on delete cascade
  )`
])

const titled = `title is not null`
const published = `visibility = 'published'`

const indexes = migration([
  `create index search_texts_newest on search_texts (created_at desc, id desc) where ${published}`,
  `create index search_texts_newest_titled on search_texts (created_at desc, id desc) where ${published} and ${titled}`,
  `create index search_texts_of_author on search_texts (author_id, created_at desc, id desc)`,
  `create index search_texts_thread_id on search_texts (thread_id)`,
  // Replies are far more, and lists of threads do not look into them.
  `create index search_texts_titled on search_texts
    using gin (title gin_trgm_ops, slug gin_trgm_ops, body gin_trgm_ops)
    with (gin_pending_list_limit = ${pendingMax}) where ${titled}`,
  `create index search_texts_replies on search_texts using gin (body gin_trgm_ops)
    with (gin_pending_list_limit = ${pendingMax}) where title is null`,
  // Trigrams say nothing about one or two characters, which are whole words in some scripts.
  `create index search_texts_pieces on search_texts using gin (pieces) where pieces is not null`,
  `insert into search_words (word, item_id)
    select distinct unnest(beginnings), id from search_texts where ${published}`,
  `create unique index search_words_word on search_words (word, item_id desc)`,
  `create index search_words_item_id on search_words (item_id)`
])

const triggers = migration([
  `create function follow_post_in_search() returns trigger language plpgsql as $$
    begin
      if new.deleted_at is null then
        update search_texts set visibility = new.visibility where id = new.id;
      else
        delete from search_texts where id = new.id;
      end if;
      return null;
    end $$`,
  `create trigger posts_search after update of visibility, deleted_at on posts for each row
    when (old.visibility is distinct from new.visibility or old.deleted_at is distinct from new.deleted_at)
    execute function follow_post_in_search()`,
  // Only what is published has words here, so that nothing else takes the place of what is suggested.
  `create function keep_search_words() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        delete from search_words where item_id = new.id;
      end if;
      if new.visibility = 'published' then
        insert into search_words (word, item_id) select distinct unnest(new.beginnings), new.id;
      end if;
      return null;
    end $$`,
  `create trigger search_words_insert after insert on search_texts for each row
    when (new.title is not null) execute function keep_search_words()`,
  `create trigger search_words_update after update of visibility, beginnings on search_texts for each row
    when (new.title is not null and
      (old.visibility, old.beginnings) is distinct from (new.visibility, new.beginnings))
    execute function keep_search_words()`
])

export default Effect.all([tables, fill, indexes, triggers], { discard: true })
