import { migration } from "../shared/migration.ts"

/** How many people, and how many links, a thread names by itself; with more, any change of one counts for it. */
const most = 32

const versionOf = (table: string, columns: ReadonlyArray<string>) => {
  const rowOf = (name: string) => `(${columns.map((column) => `${name}.${column}`).join(", ")})`
  return [
    `alter table ${table} add column shown_version bigint not null default 0`,
    `create trigger ${table}_shown_version before update on ${table}
      for each row when (${rowOf("old")} is distinct from ${rowOf("new")}) execute function bump_shown_version()`
  ]
}

/** The accounts of a change of roles are locked by the statement itself, before anything that only a commit locks. */
const rolesOf = (event: string, rows: string) =>
  `create trigger account_roles_shown_version_${event} after ${event} on account_roles
    referencing ${rows} table as changed
    for each statement execute function bump_accounts_of_roles()`

/** The first ids of a list without those that are there twice; one more than a thread names says that there are too many. */
const firstOf = (ids: string) => `(array(select distinct unnest(${ids})))[1:${most + 1}]`

/** What rows of `table` show of others is noted at their thread. Nothing is taken away again: it is few, and costs nothing. */
const noted = (table: string, column: "people" | "links", rows: string) => [
  `create function note_${column}_of_${table}() returns trigger language plpgsql as $$
    begin
      insert into thread_references as r (thread_id, ${column})
        select found.thread_id, ${firstOf("array_agg(found.id)")} from (${rows}) found (thread_id, id)
          where not exists (
            select from thread_references known where known.thread_id = found.thread_id
              and (cardinality(known.${column}) > ${most} or found.id = any(known.${column})))
          group by found.thread_id order by found.thread_id
        on conflict (thread_id) do update set ${column} = ${firstOf(`r.${column} || excluded.${column}`)};
      return null;
    end $$`,
  `create trigger ${table}_note_${column} after insert on ${table} referencing new table as added
    for each statement execute function note_${column}_of_${table}()`,
  `insert into thread_references as r (thread_id, ${column})
    select found.thread_id, ${firstOf("array_agg(found.id)")} from (${rows.replace("from added", `from ${table} added`)}) found (thread_id, id)
      group by found.thread_id
    on conflict (thread_id) do update set ${column} = ${firstOf(`r.${column} || excluded.${column}`)}`
]

// What a thread or a page shows of people and links has a version of its own, so that a change of somebody's name does
// not make others of everything that was read.
export default migration([
  `create function bump_shown_version() returns trigger language plpgsql as $$
    begin
      new.shown_version := old.shown_version + 1;
      return new;
    end $$`,
  ...versionOf("accounts", ["handle", "name", "signature", "admin", "suspended_at"]),
  ...versionOf("links", [
    "created_at",
    "updated_at",
    "url",
    "slug",
    "domain",
    "title",
    "description",
    "favicon_id",
    "primary_image_id"
  ]),

  // A role that is deleted is a change of the roles, however many have it.
  `create function bump_accounts_of_roles() returns trigger language plpgsql as $$
    begin
      update accounts set shown_version = shown_version + 1 where id in (
        select a.id from accounts a
          where a.id in (select account_id from changed c where exists (select from roles where id = c.role_id))
          order by a.id for no key update);
      return null;
    end $$`,
  rolesOf("insert", "new"),
  rolesOf("update", "new"),
  rolesOf("delete", "old"),

  `alter table change_stamps add column roles bigint not null default 0`,
  `create function bump_roles_stamp() returns trigger language plpgsql as $$
    begin
      if current_setting('forum.roles_stamped', true) is distinct from pg_current_xact_id()::text then
        perform set_config('forum.roles_stamped', pg_current_xact_id()::text, true);
        update change_stamps set roles = roles + 1 where shard = pg_backend_pid() % 16;
      end if;
      return null;
    end $$`,
  `create constraint trigger roles_roles_stamp after insert or update or delete on roles deferrable initially deferred
    for each row execute function bump_roles_stamp()`,

  // Who takes part in a thread beside its author, and what its texts link to, as far as these are few.
  `create table thread_references (
    thread_id text primary key references threads (id) on delete cascade,
    people text[] not null default '{}' check (cardinality(people) <= ${most + 1}),
    links text[] not null default '{}' check (cardinality(links) <= ${most + 1})
  )`,
  ...noted("thread_participants", "people", "select thread_id, account_id from added"),
  ...noted(
    "reacts",
    "people",
    "select p.thread_id, added.account_id from added join posts p on p.id = added.post_id"
  ),
  ...noted(
    "post_links",
    "links",
    "select p.thread_id, added.link_id from added join posts p on p.id = added.post_id"
  )
])
