-- Transaction numbers order events within one database cluster only: a dump may be restored into a cluster
-- whose numbers are lower than the logged ones. Events written there begin a new generation, which comes
-- after all earlier ones whatever its transaction numbers.
create table event_generations (
  generation integer primary key,
  begun_at timestamptz not null default now()
);

insert into event_generations (generation) values (1);

-- The generation of an event written now. An event of a transaction that this
-- cluster has not yet reached was written in another cluster.
create function event_generation() returns integer language plpgsql as $$
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
end $$;

-- `txid` orders events by what a reader may already rely on: see EventLogSql.
create table event_log (
  id bigint generated always as identity primary key,
  txid xid8 not null default pg_current_xact_id(),
  occurred_at timestamptz not null,
  actor_id text,
  event jsonb not null,
  generation integer not null default event_generation(),
  tag text not null generated always as (event->>'_tag') stored check (tag <> '')
);

-- The last event that is not kept any more, so that whoever reads from a position knows whether they miss some.
create table event_log_kept (
  is_only boolean primary key default true check (is_only),
  generation integer not null,
  txid xid8 not null,
  event_id bigint not null
);

insert into event_log_kept (generation, txid, event_id) values (0, '0', 0);

-- With the tag in it, events that a consumer does not read are passed over without visiting their rows.
create index event_log_position on event_log (generation, txid, id, tag);

create function audit_event() returns trigger language plpgsql as $$
begin
  if exists (select from audited_events where tag = new.tag) then
    perform audit(new);
  end if;
  return null;
end $$;
create trigger event_log_audit after insert on event_log for each row execute function audit_event();

create table event_consumers (
  name text primary key,
  txid xid8 not null default '0',
  event_id bigint not null default 0,
  -- `tries` and what follows it are about the event right after the position, while it fails.
  generation integer not null default 1,
  tries integer not null default 0 check (tries >= 0),
  failing_since timestamptz,
  retry_at timestamptz,
  error text,
  -- Whether it has nothing to do with any event now, so that it passes all of them unread.
  is_idle boolean not null default false,
  check ((tries = 0) = (failing_since is null) and (tries = 0) = (retry_at is null))
);

-- Says whether a consumer has something to do with events that are committed after this transaction.
create function set_consumer_idle(consumer text, idle boolean) returns void language sql as $$
  insert into event_consumers (name, is_idle) values (consumer, idle)
  on conflict (name) do update set is_idle = excluded.is_idle where event_consumers.is_idle <> excluded.is_idle
$$;

-- Events that a consumer could not handle. The foreign key keeps them in the log.
create table parked_events (
  consumer text not null references event_consumers (name) on delete cascade,
  event_id bigint not null references event_log (id),
  since timestamptz not null,
  tries integer not null check (tries > 0),
  error text not null,
  primary key (consumer, event_id)
);

create index parked_events_event_id on parked_events (event_id);
