import { migration } from "../shared/migration.ts"

/** Whether a thread is among the content that its tags show. */
const isListed = "visibility = 'published' and deleted_at is null"

// The newest published threads of a tag are found without those that are hidden, of which there may be any number.
const listedThreads = [
  `alter table thread_tags add column listed boolean not null default false`,
  `update thread_tags set listed = true where thread_id in (select id from threads where ${isListed})`,
  `create index thread_tags_listed on thread_tags (tag_id, thread_id desc) where listed`,
  `create function list_thread_tag() returns trigger language plpgsql as $$
    begin
      new.listed := exists (select from threads where id = new.thread_id and ${isListed});
      return new;
    end $$`,
  `create trigger thread_tags_listed before insert on thread_tags
    for each row execute function list_thread_tag()`,
  `create function list_tags_of_thread() returns trigger language plpgsql as $$
    begin
      update thread_tags g set listed = not g.listed
        where thread_id = new.id and g.listed <> (new.visibility = 'published' and new.deleted_at is null);
      return null;
    end $$`,
  `create trigger threads_listed after update of visibility, deleted_at on threads
    for each row when (old.visibility <> new.visibility or old.deleted_at is distinct from new.deleted_at)
    execute function list_tags_of_thread()`
]

/** Keeps `tag_totals` when tags are inserted or deleted, in a row of this connection. */
const counted = (event: "insert" | "delete", rows: "new" | "old", sign: "+" | "-") => [
  `create function count_tags_${event}() returns trigger language plpgsql as $$
    begin
      update tag_totals set tags = tags ${sign} c.n from (select count(*)::int as n from changed) c
        where shard = pg_backend_pid() % 16 and c.n > 0;
      return null;
    end $$`,
  `create trigger tags_count_${event} after ${event} on tags referencing ${rows} table as changed
    for each statement execute function count_tags_${event}()`
]

export default migration([
  `create index tags_by_count on tags (item_count desc, name collate "C")`,
  `create index tags_search on tags using gin (name gin_trgm_ops)`,

  // Several rows, so that writers rarely wait for each other.
  `create table tag_totals (
    shard smallint primary key,
    tags integer not null
  )`,
  `insert into tag_totals (shard, tags)
    select n, case when n = 0 then (select count(*) from tags) else 0 end from generate_series(0, 15) n`,
  ...counted("insert", "new", "+"),
  ...counted("delete", "old", "-"),

  ...listedThreads
])
