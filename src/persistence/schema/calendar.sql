create table calendar_events (
  id text primary key,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  thread_id text not null unique references threads (id),
  name text not null check (name <> ''),
  slug text not null check (slug <> ''),
  description text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at >= starts_at),
  primary_image_id text references assets (id) on delete set null,
  policy text not null check (policy in ('open', 'closed', 'invite_only')),
  visibility text not null check (visibility in ('draft', 'unlisted', 'review', 'published')),
  location jsonb,
  capacity integer check (capacity >= 0),
  meta jsonb not null,
  -- What is searched: the name and the description, each on a line.
  search text not null,
  -- Kept by triggers, so that the limits below hold whoever writes: all who take part, the hosts among them,
  -- and the attendees who attend.
  participants integer not null default 0 check (participants between 0 and 1000),
  hosts integer not null default 0 check (hosts between 0 and 20),
  attending integer not null default 0 check (attending >= 0),
  -- About how many bytes of an answer the long parts of an event take.
  weight integer not null generated always as (octet_length(meta::text) + octet_length(description)) stored,
  constraint calendar_events_capacity check (attending <= capacity)
);

create unique index calendar_events_slug on calendar_events (slug) where deleted_at is null;
-- With what decides who sees an event, so that counting reads no other.
create index calendar_events_by_start on calendar_events (starts_at, id) include (visibility)
  where deleted_at is null;
-- The events that end next, for calendars that follow them.
create index calendar_events_by_end on calendar_events (ends_at, id) include (visibility)
  where deleted_at is null;
create index calendar_events_search on calendar_events using gin (search gin_trgm_ops)
  where deleted_at is null;
create index calendar_events_primary_image_id on calendar_events (primary_image_id)
  where primary_image_id is not null;
-- What takes more than a fiftieth of the 2 MiB of a list, for the lists that show it.
create index calendar_events_large on calendar_events (starts_at, id)
  where weight > 41943 and deleted_at is null;

-- How many events there are of each visibility. Several rows, and each connection has its own, so that
-- writers rarely wait. Of a single row the numbers may be negative.
create table calendar_totals (
  shard smallint primary key,
  draft integer not null default 0,
  unlisted integer not null default 0,
  review integer not null default 0,
  published integer not null default 0
);

insert into calendar_totals (shard) select generate_series(0, 15);

create function count_calendar_events() returns trigger language plpgsql as $$
begin
  update calendar_totals set
      draft = draft + coalesce(new.deleted_at is null and new.visibility = 'draft', false)::int
        - coalesce(old.deleted_at is null and old.visibility = 'draft', false)::int,
      unlisted = unlisted + coalesce(new.deleted_at is null and new.visibility = 'unlisted', false)::int
        - coalesce(old.deleted_at is null and old.visibility = 'unlisted', false)::int,
      review = review + coalesce(new.deleted_at is null and new.visibility = 'review', false)::int
        - coalesce(old.deleted_at is null and old.visibility = 'review', false)::int,
      published = published + coalesce(new.deleted_at is null and new.visibility = 'published', false)::int
        - coalesce(old.deleted_at is null and old.visibility = 'published', false)::int
    where shard = pg_backend_pid() % 16;
  return null;
end $$;
-- Deferred, so that a transaction takes the one row that others may wait for when it has taken all others.
create constraint trigger calendar_events_count after insert or update of visibility, deleted_at or delete
  on calendar_events deferrable initially deferred
  for each row execute function count_calendar_events();

create table calendar_participants (
  event_id text not null references calendar_events (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  role text not null check (role in ('attendee', 'host')),
  status text not null check (status in ('requested', 'invited', 'attending', 'declined')),
  primary key (event_id, account_id)
);

-- Hosts first: the order in which they are shown.
create index calendar_participants_in_order on calendar_participants
  (event_id, role desc, created_at, account_id) include (status);
create index calendar_participants_account_id on calendar_participants (account_id, event_id)
  include (role);

create function count_calendar_participants() returns trigger language plpgsql as $$
begin
  -- A row that is not there is null.
  update calendar_events set
      participants = participants + (new.role is not null)::int - (old.role is not null)::int,
      hosts = hosts + coalesce(new.role = 'host', false)::int - coalesce(old.role = 'host', false)::int,
      attending = attending
        + coalesce(new.role = 'attendee' and new.status = 'attending', false)::int
        - coalesce(old.role = 'attendee' and old.status = 'attending', false)::int
    where id = coalesce(new.event_id, old.event_id);
  return null;
end $$;
create trigger calendar_participants_count after insert or update or delete on calendar_participants
  for each row execute function count_calendar_participants();
