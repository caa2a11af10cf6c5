import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { RichText } from "../../domain/text/RichText.ts"
import { searchForm, searchFormOf } from "../../domain/text/SearchText.ts"
import { migration } from "../shared/migration.ts"

// Few enough that the longest bodies fit into memory together.
const batchSize = 100

interface OpeningRow {
  readonly id: string
  readonly title: string
  readonly slug: string
  readonly body: RichText
}

/** The texts of the threads that there are, a batch at a time: one pass over them in the order of their ids. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let done = ""
  for (;;) {
    const rows = yield* sql<OpeningRow>`select t.id, p.title, p.slug, p.body
      from threads t join posts p on p.id = t.id
      where t.id > ${done} and t.deleted_at is null order by t.id limit ${batchSize}`
    const last = rows.at(-1)
    if (last === undefined) return
    const ids = rows.map(({ id }) => id)
    const texts = rows.map(({ body, slug, title }) =>
      [searchForm(title), searchForm(slug), searchFormOf(body)].join("\n")
    )
    yield* sql`insert into thread_texts (thread_id, text)
      select * from unnest(${ids}::text[], ${texts}::text[])`
    done = last.id
  }
})

// What people see of a thread, in the form in which texts are compared. Apart from posts, so that pages do not
// read it, and without those that are deleted.
export const threadTexts = Effect.andThen(
  migration([
    `create table thread_texts (
      thread_id text primary key references threads (id) on delete cascade,
      -- Three lines: the title, the slug, the body. What is searched for has no line break.
      text text not null check (cardinality(string_to_array(text, e'\\n')) = 3)
    )`,
    `drop index if exists posts_search`
  ]),
  // An index is made faster of all rows than row by row.
  Effect.andThen(
    fill,
    migration([`create index thread_texts_text on thread_texts using gin (text gin_trgm_ops)`])
  )
)

/** Whether a reply counts among the unpublished of its thread. */
const isUnpublished = (row: string) =>
  `(${row}ordinal > 0 and ${row}deleted_at is null and ${row}visibility <> 'published')`

// Replies that only some viewers see are counted on their thread, so that where there are none nobody looks for them.
const unpublishedReplies = migration([
  `alter table threads add column unpublished_replies integer not null default 0 check (unpublished_replies >= 0)`,
  `update threads t set unpublished_replies = c.n
    from (select thread_id, count(*)::int as n from posts where ${isUnpublished("")} group by thread_id) c
    where t.id = c.thread_id`,
  `create index posts_unpublished on posts (thread_id, ordinal) where ${isUnpublished("")}`,
  `create or replace function bump_thread_of_posts() returns trigger language plpgsql as $$
    begin
      update threads t
        set version = t.version + 1, unpublished_replies = t.unpublished_replies + c.unpublished
        from (
          select n.thread_id,
            sum(${isUnpublished("n.")}::int - ${isUnpublished("o.")}::int)::int as unpublished
          from changed n join former o on o.id = n.id where o.* is distinct from n.* group by n.thread_id
        ) c where t.id = c.thread_id;
      return null;
    end $$`
])

// A mark says which replies were there, which no clock can. Replies of one account in one thread lie together.
const readMarks = migration([
  `alter table read_marks add column replies_read integer not null default 0`,
  `update read_marks m set replies_read = coalesce((
    select ordinal from posts where thread_id = m.thread_id and id <> thread_id and deleted_at is null
      and created_at <= m.read_at order by created_at desc, id desc limit 1), 0)`,
  `create index posts_of_author on posts (author_id, thread_id, ordinal)`,
  `drop index posts_author_id`,
  // Replies are counted by their numbers, less those that are not meant. A function, because the plan of a
  // statement is set up with all that it may ask, and few viewers have anything of this.
  `create function replies_for(thread text, account text, own_readable text[], read_until integer,
      made integer, undeleted integer, unpublished integer, has_replied boolean)
    returns integer[] language plpgsql stable as $$
    declare
      own_unpublished integer := 0;
      new_replies integer := 0;
      new_unpublished integer := 0;
    begin
      if unpublished > 0 and has_replied then
        own_unpublished := (select count(*) from posts where thread_id = thread and ${isUnpublished("")}
          and author_id = account and visibility = any(own_readable));
      end if;
      if read_until < made then
        new_replies := made - read_until;
        if undeleted < made then
          new_replies := new_replies - (select count(*) from posts
            where thread_id = thread and ordinal > read_until and deleted_at is not null and id <> thread_id);
        end if;
        if has_replied then
          new_replies := new_replies - (select count(*) from posts
            where author_id = account and thread_id = thread and ordinal > read_until and deleted_at is null);
        end if;
        if unpublished > 0 then
          new_unpublished := (select count(*) from posts
            where thread_id = thread and ordinal > read_until and ${isUnpublished("")} and author_id <> account);
        end if;
      end if;
      return array[own_unpublished, new_replies, new_unpublished];
    end $$`
])

// About how many bytes posts take in answers, so that pages can be made before what they show is read.
const weights = migration([
  // A link repeats its address twice, which counts where addresses may be long.
  `create function post_weight(body text, meta jsonb, links integer, reacts integer) returns integer
    language sql immutable as $$
      select 1500 + octet_length(to_json(body)::text) + octet_length(meta::text) + 500 * links + 1000 * reacts
        + case when links > 0 and octet_length(body) > 16384 then 2 * octet_length(body) else 0 end
    $$`,
  `alter table threads
    add column opening_weight integer not null default 0,
    -- Of the heaviest reply that there ever was.
    add column reply_weight integer not null default 0`,
  `update threads t set opening_weight = w.opening, reply_weight = w.reply
    from (
      select thread_id, coalesce(max(weight) filter (where ordinal = 0), 0) as opening,
        coalesce(max(weight) filter (where ordinal > 0), 0) as reply
      from (select thread_id, ordinal, post_weight(body, meta, link_count, react_count) as weight from posts) p
      group by thread_id
    ) w where t.id = w.thread_id`,
  `create or replace function bump_thread_of_posts() returns trigger language plpgsql as $$
    begin
      update threads t
        set version = t.version + 1, unpublished_replies = t.unpublished_replies + c.unpublished,
          opening_weight = coalesce(c.opening, t.opening_weight), reply_weight = greatest(t.reply_weight, c.reply)
        from (
          select thread_id, sum(unpublished)::int as unpublished, max(weight) filter (where ordinal = 0) as opening,
            max(weight) filter (where ordinal > 0) as reply
          from (
            select n.thread_id, n.ordinal, ${isUnpublished("n.")}::int - ${isUnpublished("o.")}::int as unpublished,
              case when (n.body, n.meta, n.link_count, n.react_count)
                  is distinct from (o.body, o.meta, o.link_count, o.react_count)
                then post_weight(n.body, n.meta, n.link_count, n.react_count) end as weight
            from changed n join former o on o.id = n.id where o.* is distinct from n.*
          ) p group by thread_id
        ) c where t.id = c.thread_id;
      return null;
    end $$`
])

export default Effect.all([threadTexts, unpublishedReplies, readMarks, weights], { discard: true })
