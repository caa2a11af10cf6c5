import { migration } from "../shared/migration.ts"

/** A count on `posts` of the rows of `table` that belong to each, kept by the database. */
const counted = (table: string, column: string) => {
  const keep = (event: "insert" | "delete", rows: string, sign: "+" | "-") => [
    `create function count_${table}_${event}() returns trigger language plpgsql as $$
      begin
        update posts p set ${column} = p.${column} ${sign} c.n
          from (select post_id, count(*)::int as n from changed group by post_id) c where p.id = c.post_id;
        return null;
      end $$`,
    `create trigger ${table}_count_${event} after ${event} on ${table} referencing ${rows} table as changed
      for each statement execute function count_${table}_${event}()`
  ]
  return [...keep("insert", "new", "+"), ...keep("delete", "old", "-")]
}

const versioned = (table: string) =>
  `create trigger ${table}_version before update on ${table}
    for each row when (old.* is distinct from new.*) execute function bump_version()`

// Deferred, so that a transaction takes the one row that others may wait for when it has taken all others.
const stamped = (table: string, stamp: string, events: string) =>
  `create constraint trigger ${table}_stamp after ${events} on ${table} deferrable initially deferred
    for each row execute function bump_${stamp}_stamp()`

const stamp = (name: string) => [
  `alter table change_stamps add column ${name} bigint not null default 0`,
  `create function bump_${name}_stamp() returns trigger language plpgsql as $$
    begin
      -- Once in a transaction, however many rows it changes.
      if current_setting('forum.${name}_stamped', true) is distinct from pg_current_xact_id()::text then
        perform set_config('forum.${name}_stamped', pg_current_xact_id()::text, true);
        update change_stamps set ${name} = ${name} + 1 where shard = pg_backend_pid() % 16;
      end if;
      return null;
    end $$`
]

// Everything that a validator depends on is versioned here, so that no writer has to remember it.
export default migration([
  // A thread's replies are found by their numbers; no two of a thread can have the same.
  `create unique index posts_ordinal on posts (thread_id, ordinal)`,
  `drop index posts_thread_id`,

  // What is not published is counted where it is listed; there is little of it.
  `create index threads_unpublished on threads (author_id, visibility)
    where deleted_at is null and visibility <> 'published'`,
  `drop index threads_in_review`,

  // What few posts have is counted on the post, so that the others are not asked.
  `alter table posts add column react_count integer not null default 0 check (react_count >= 0)`,
  `alter table posts add column link_count integer not null default 0 check (link_count >= 0)`,
  `update posts p set react_count = c.n
    from (select post_id, count(*)::int as n from reacts group by post_id) c where p.id = c.post_id`,
  `update posts p set link_count = c.n
    from (select post_id, count(*)::int as n from post_links group by post_id) c where p.id = c.post_id`,
  ...counted("likes", "like_count"),
  ...counted("reacts", "react_count"),
  ...counted("post_links", "link_count"),

  // Whether an account likes anything in a thread is one look into an index.
  `alter table likes add column thread_id text references threads (id)`,
  `update likes l set thread_id = p.thread_id from posts p where p.id = l.post_id`,
  `alter table likes alter column thread_id set not null`,
  `create index likes_thread_id on likes (thread_id, account_id)`,

  `create function bump_version() returns trigger language plpgsql as $$
    begin
      new.version := old.version + 1;
      return new;
    end $$`,
  versioned("threads"),
  versioned("categories"),
  `alter table tags add column version bigint not null default 0`,
  versioned("tags"),

  // Replies are counted on their thread when they are made, which is a change of it.
  `create function bump_thread_of_posts() returns trigger language plpgsql as $$
    begin
      update threads set version = version + 1 where id in (
        select n.thread_id from changed n join former o on o.id = n.id where o.* is distinct from n.*);
      return null;
    end $$`,
  `create trigger posts_version after update on posts referencing old table as former new table as changed
    for each statement execute function bump_thread_of_posts()`,
  `create function bump_thread_of_tags() returns trigger language plpgsql as $$
    begin
      update threads set version = version + 1 where id in (select thread_id from changed);
      return null;
    end $$`,
  `create trigger thread_tags_version_insert after insert on thread_tags referencing new table as changed
    for each statement execute function bump_thread_of_tags()`,
  `create trigger thread_tags_version_delete after delete on thread_tags referencing old table as changed
    for each statement execute function bump_thread_of_tags()`,

  // Profiles, links and the like show in many answers, whose validators have the sum of these numbers. Several
  // rows, and each connection has its own, so that writers rarely wait for each other.
  `drop trigger accounts_stamp on accounts`,
  `drop trigger roles_stamp on roles`,
  `drop trigger account_roles_stamp on account_roles`,
  `drop function stamp_people()`,
  `drop table change_stamps`,
  `create table change_stamps (shard smallint primary key)`,
  `insert into change_stamps (shard) select generate_series(0, 15)`,
  ...stamp("people"),
  ...stamp("links"),
  // Categories and tags, for lists: what a list shows is of many of them.
  ...stamp("catalogue"),
  stamped("accounts", "people", "update of handle, name, signature, admin, suspended_at"),
  stamped("roles", "people", "insert or update or delete"),
  stamped("account_roles", "people", "insert or update or delete"),
  stamped("links", "links", "update"),
  stamped("categories", "catalogue", "update"),
  stamped("tags", "catalogue", "update")
])
