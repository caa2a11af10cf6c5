-- Addresses to which the service delivers what happens.
create table webhooks (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  url text not null check (octet_length(url) between 1 and 6000),
  name text check (char_length(name) between 1 and 100),
  -- Names of changes, or `*` alone.
  events text[] not null check (cardinality(events) between 1 and 200 and array_position(events, null) is null
    and char_length(array_to_string(events, '')) <= 10000),
  is_active boolean not null,
  -- It is told of transactions that this snapshot, taken when it became active, does not show.
  since pg_snapshot not null default pg_current_snapshot(),
  since_generation integer not null default event_generation(),
  last_success_at timestamptz,
  -- When the first attempt since then failed.
  failing_since timestamptz,
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'overflow')),
  constraint webhooks_disabled check (disabled_reason is null or not is_active)
) with (fillfactor = 50);

create index webhooks_of_account on webhooks (account_id);

create function check_number_of_webhooks() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(731620070, 0);
  if (select count(*) from webhooks) >= tg_argv[0]::bigint then
    raise exception 'There are too many rows in %', tg_table_name
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  return new;
end $$;
create trigger webhooks_number before insert on webhooks
  for each row execute function check_number_of_webhooks('50');

-- Without an active webhook, nothing of the log is read for them. Changes of what decides that wait for each
-- other, so that each sees those before it.
create function note_webhooks() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(731620070, 0);
  perform set_consumer_idle('webhooks', not exists (select from webhooks where is_active));
  return null;
end $$;
create trigger webhooks_note after insert or delete or update of is_active on webhooks
  for each statement execute function note_webhooks();

perform set_consumer_idle('webhooks', true);

-- Secrets are encrypted by a key that is not in the database. All that have not ended sign.
create table webhook_secrets (
  webhook_id text not null references webhooks (id) on delete cascade,
  number integer not null,
  secret bytea not null check (octet_length(secret) between 1 and 1024),
  ends_at timestamptz,
  primary key (webhook_id, number)
);

create trigger webhook_secrets_number before insert on webhook_secrets
  for each row execute function check_number_of_rows('webhook_id', '5');

-- What a webhook is told of: each change once, whatever happens, and tests.
create table webhook_deliveries (
  id text primary key,
  webhook_id text not null references webhooks (id) on delete cascade,
  -- What the receiver knows it by.
  message_id text not null,
  -- The event of the log that it is about, which may be deleted since; null for a test.
  cause_id bigint,
  type text not null check (char_length(type) between 1 and 100),
  created_at timestamptz not null,
  -- When it was made, or somebody asked for it again.
  queued_at timestamptz not null,
  status text not null check (status in ('waiting', 'delivered', 'failed')),
  due_at timestamptz,
  -- The one of the places of the webhook in which it is being delivered.
  place smallint,
  -- Those since it was queued; and all.
  tries integer not null default 0 check (tries >= 0),
  attempts integer not null default 0 check (attempts >= 0),
  ended_at timestamptz,
  constraint webhook_deliveries_once unique (webhook_id, message_id),
  constraint webhook_deliveries_waiting check (
    (status = 'waiting') = (due_at is not null) and (status = 'waiting') = (ended_at is null)
    and (place is null or status = 'waiting')),
  constraint webhook_deliveries_test check ((type = 'Test') = (cause_id is null))
);

create index webhook_deliveries_newest on webhook_deliveries (webhook_id, id desc);
create index webhook_deliveries_by_status on webhook_deliveries (webhook_id, status, id desc);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, id) where due_at is not null;
create index webhook_deliveries_queued on webhook_deliveries (queued_at, id);

create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id) on delete cascade,
  number integer not null,
  begun_at timestamptz not null,
  milliseconds integer not null check (milliseconds >= 0),
  status integer check (status between 100 and 999),
  answer text check (char_length(answer) between 1 and 2048),
  error text check (char_length(error) between 1 and 200),
  primary key (delivery_id, number),
  check ((status is null) = (error is not null) and (answer is null or status is not null))
);

-- As many deliveries of a webhook run at the same time as it has places. Each is free from a time on, which is
-- later than now while something is delivered in it.
create table webhook_places (
  webhook_id text not null references webhooks (id) on delete cascade,
  number smallint not null check (number between 1 and 4),
  free_at timestamptz not null default '-infinity',
  primary key (webhook_id, number)
) with (fillfactor = 50);

create function give_webhook_places() returns trigger language plpgsql as $$
begin
  insert into webhook_places (webhook_id, number) select new.id, generate_series(1, 4);
  return null;
end $$;
create trigger webhooks_places after insert on webhooks for each row execute function give_webhook_places();

-- How many deliveries there are, and that not too many of a webhook wait.
create table webhook_totals (
  webhook_id text not null references webhooks (id) on delete cascade,
  status text not null,
  deliveries integer not null,
  primary key (webhook_id, status),
  constraint webhook_totals_number
    check (deliveries >= 0 and (status <> 'waiting' or deliveries <= 100000))
) with (fillfactor = 50);

create function count_added_webhook_deliveries() returns trigger language plpgsql as $$
begin
  insert into webhook_totals as known (webhook_id, status, deliveries)
    select webhook_id, status, count(*)::int from added group by webhook_id, status order by webhook_id, status
    on conflict (webhook_id, status) do update set deliveries = known.deliveries + excluded.deliveries;
  return null;
end $$;
create trigger webhook_deliveries_count_insert after insert on webhook_deliveries
  referencing new table as added for each statement execute function count_added_webhook_deliveries();

-- Locks rows in their order, as several may change.
create function count_changed_webhook_deliveries() returns trigger language plpgsql as $$
begin
  insert into webhook_totals (webhook_id, status, deliveries)
    select webhook_id, status, 0 from (
      select webhook_id, status, 1 as n from added union all select webhook_id, status, -1 from removed
    ) one group by webhook_id, status having sum(n) > 0 order by webhook_id, status
    on conflict (webhook_id, status) do nothing;
  perform from webhook_totals
    where (webhook_id, status) in (
      select webhook_id, status from (
        select webhook_id, status, 1 as n from added union all select webhook_id, status, -1 from removed
      ) one group by webhook_id, status having sum(n) <> 0
    ) order by webhook_id, status for no key update;
  update webhook_totals t set deliveries = t.deliveries + c.n
    from (
      select webhook_id, status, sum(n)::int as n from (
        select webhook_id, status, 1 as n from added union all select webhook_id, status, -1 from removed
      ) one group by webhook_id, status having sum(n) <> 0
    ) c where (t.webhook_id, t.status) = (c.webhook_id, c.status);
  return null;
end $$;
create trigger webhook_deliveries_count_update after update on webhook_deliveries
  referencing old table as removed new table as added
  for each statement execute function count_changed_webhook_deliveries();

create function count_removed_webhook_deliveries() returns trigger language plpgsql as $$
begin
  perform from webhook_totals t
    where (webhook_id, status) in (select webhook_id, status from removed)
    order by webhook_id, status for no key update;
  update webhook_totals t set deliveries = t.deliveries - c.n
    from (select webhook_id, status, count(*)::int as n from removed group by webhook_id, status) c
    where (t.webhook_id, t.status) = (c.webhook_id, c.status);
  return null;
end $$;
create trigger webhook_deliveries_count_delete after delete on webhook_deliveries
  referencing old table as removed for each statement execute function count_removed_webhook_deliveries();

-- What is delivered again at the moment: from a position of the log, exclusive, to another one.
create table webhook_replays (
  webhook_id text primary key references webhooks (id) on delete cascade,
  from_at timestamptz not null,
  to_at timestamptz not null,
  generation integer not null,
  txid xid8 not null,
  event_id bigint not null,
  end_generation integer not null,
  end_txid xid8 not null,
  end_event_id bigint not null,
  check (from_at <= to_at)
);
