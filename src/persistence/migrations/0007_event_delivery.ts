import { migration } from "../shared/migration.ts"

export default migration([
  // Transaction numbers order events within one database cluster only: a dump
  // may be restored into a cluster whose numbers are lower than the logged
  // ones. Events written there begin a new generation, which comes after all
  // earlier ones whatever its transaction numbers.
  `create table event_generations (
    generation integer primary key,
    begun_at timestamptz not null default now()
  )`,
  `insert into event_generations (generation) values (1)`,

  `alter table event_log
    add column generation integer not null default 1,
    add column tag text not null generated always as (event->>'_tag') stored check (tag <> '')`,
  `drop index event_log_position`,
  // With the tag in it, events that a consumer does not read are passed over without visiting their rows.
  `create index event_log_position on event_log (generation, txid, id, tag)`,

  // The generation of an event written now. An event of a transaction that this
  // cluster has not yet reached was written in another cluster.
  `create function event_generation() returns integer language plpgsql as $$
    declare
      current integer := (select max(generation) from event_generations);
      newest xid8 := (select txid from event_log where generation = current order by txid desc, id desc limit 1);
    begin
      if newest < pg_snapshot_xmax(pg_current_snapshot()) or newest is null
        or newest = pg_current_xact_id_if_assigned() then
        return current;
      end if;
      insert into event_generations (generation) values (current + 1) on conflict do nothing;
      return current + 1;
    end
  $$`,
  `alter table event_log alter column generation set default event_generation()`,

  // `tries` and what follows it are about the event right after the position, while it fails.
  `alter table event_consumers
    add column generation integer not null default 1,
    add column tries integer not null default 0 check (tries >= 0),
    add column failing_since timestamptz,
    add column retry_at timestamptz,
    add column error text,
    add check ((tries = 0) = (failing_since is null) and (tries = 0) = (retry_at is null))`,

  // Events that a consumer could not handle. The foreign key keeps them in the log.
  `create table parked_events (
    consumer text not null references event_consumers (name) on delete cascade,
    event_id bigint not null references event_log (id),
    since timestamptz not null,
    tries integer not null check (tries > 0),
    error text not null,
    primary key (consumer, event_id)
  )`,
  `create index parked_events_event_id on parked_events (event_id)`,

  // Old events are deleted, and what they led to stays. The ids of events never
  // repeat, so that the unique constraints on `cause_id` still prevent a second
  // notification or entry for the same event.
  `alter table notifications drop constraint notifications_cause_id_fkey`,
  `alter table audit_events drop constraint audit_events_cause_id_fkey`,

  // To allow another value, a later migration drops the constraint and adds it
  // again with the longer list, `not valid` at first and then validated, so that
  // the table is not locked while its rows are checked.
  `alter table notifications add constraint notifications_event check (event in (
    'thread_reply',
    'reply_to_reply',
    'post_like',
    'follow',
    'profile_mention',
    'event_host_added',
    'member_attending_event',
    'member_declined_event',
    'attendee_removed',
    'report_submitted',
    'report_updated',
    'warning_issued',
    'node_version_created',
    'node_version_applied',
    'node_version_deleted',
    'trail_run_attention'
  ))`,
  `alter table notifications add constraint notifications_item_kind check (item_kind in ('post'))`
])
