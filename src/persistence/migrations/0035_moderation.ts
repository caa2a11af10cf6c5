import { migration } from "../shared/migration.ts"

// As in the rules of moderation. Numbers in the database change by a migration only.
const notesMax = 1000

export default migration([
  // The list of those of some types, in its order; and how many there are of each, in several rows, so that
  // writers rarely wait for each other.
  `create index audit_events_by_type on audit_events (type, occurred_at desc, id desc)`,
  `create table audit_totals (
    type text not null,
    shard smallint not null,
    events integer not null,
    primary key (type, shard)
  )`,
  `insert into audit_totals (type, shard, events) select type, 0, count(*)::int from audit_events group by type`,
  `create function count_audit_events() returns trigger language plpgsql as $$
    begin
      insert into audit_totals as known (type, shard, events)
        select type, pg_backend_pid() % 16, count(*)::int from changed group by type order by type
        on conflict (type, shard) do update set events = known.events + excluded.events;
      return null;
    end $$`,
  `create trigger audit_events_count after insert on audit_events referencing new table as changed
    for each statement execute function count_audit_events()`,

  // What was recorded stays as it was. An account that is gone is not named any more.
  `create function keep_audit_events() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and new.enacted_by is null and
        (new.id, new.occurred_at, new.type, new.subject, new.cause_id)
          is not distinct from (old.id, old.occurred_at, old.type, old.subject, old.cause_id) then
        return new;
      end if;
      raise exception 'The audit log is append-only' using errcode = 'integrity_constraint_violation';
    end $$`,
  `create trigger audit_events_keep before update or delete on audit_events
    for each row execute function keep_audit_events()`,
  `create function keep_all_audit_events() returns trigger language plpgsql as $$
    begin
      raise exception 'The audit log is append-only' using errcode = 'integrity_constraint_violation';
    end $$`,
  `create trigger audit_events_keep_all before truncate on audit_events
    for each statement execute function keep_all_audit_events()`,

  `create table moderation_notes (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    author_id text references accounts (id) on delete set null,
    created_at timestamptz not null,
    content text not null check (char_length(content) between 1 and 2000)
  )`,
  `create index moderation_notes_newest on moderation_notes (account_id, created_at desc, id desc)`,
  `create index moderation_notes_author_id on moderation_notes (author_id) where author_id is not null`,
  `create trigger moderation_notes_number before insert on moderation_notes
    for each row execute function check_number_of_rows('account_id', '${notesMax}')`
])
