create table assets (
  id text primary key,
  created_at timestamptz not null,
  -- Null for what the service fetched itself.
  account_id text references accounts (id) on delete set null,
  -- Also what `path` ends in.
  filename text not null unique check (filename = id or starts_with(filename, id || '-')),
  original_name text not null check (length(original_name) between 1 and 255),
  mime_type text not null check (mime_type <> ''),
  size bigint not null check (size >= 0),
  width integer not null default 0 check (width >= 0),
  height integer not null default 0 check (height >= 0),
  parent_id text references assets (id) on delete set null check (parent_id <> id),
  -- The kind of store that has the bytes, under the id.
  store text not null check (store in ('disk', 's3'))
);

create index assets_account_id on assets (account_id) where account_id is not null;
create index assets_parent_id on assets (parent_id) where parent_id is not null;

-- Accounts and assets name each other.
alter table accounts
  add constraint accounts_avatar_id_fkey foreign key (avatar_id) references assets (id) on delete set null;

-- Noted before the bytes are stored, and gone once the asset is: what stays belongs to uploads that ended
-- between. Abandoned ones cannot become assets any more.
create table asset_uploads (
  id text primary key,
  store text not null check (store in ('disk', 's3')),
  started_at timestamptz not null,
  abandoned boolean not null default false
);

create index asset_uploads_started_at on asset_uploads (started_at);

-- What was uploaded on each day: by each account, from each network, and by all, whose name is empty.
create table upload_totals (
  name text not null,
  -- In UTC.
  day date not null,
  bytes bigint not null check (bytes >= 0),
  sum text not null check (sum in ('account', 'network', 'instance')),
  primary key (day, sum, name)
);

-- Counts an upload in all of its sums and answers null; or in none, and answers which one would be too much.
create function count_upload(
  on_day date, weight bigint, account text, account_maximum bigint,
  network text, network_maximum bigint, instance_maximum bigint
) returns text language plpgsql as $$
declare
  sums constant text[] := array['account', 'network', 'instance'];
  names constant text[] := array[account, network, ''];
  maximums constant bigint[] := array[account_maximum, network_maximum, instance_maximum];
  exceeded text;
begin
  -- In this order, so that uploads at the same time wait for each other one after the other.
  insert into upload_totals (day, sum, name, bytes)
    select on_day, w.sum, w.name, 0 from unnest(sums, names) with ordinality w (sum, name, place)
    order by w.place
    on conflict do nothing;
  perform from unnest(sums, names) with ordinality w (sum, name, place)
    join upload_totals t on t.day = on_day and t.sum = w.sum and t.name = w.name
    order by w.place for update of t;
  -- A statement of its own: once they are locked, the next one sees what others have counted.
  select w.sum into exceeded
    from unnest(sums, names, maximums) with ordinality w (sum, name, maximum, place)
      join upload_totals t on t.day = on_day and t.sum = w.sum and t.name = w.name
    where t.bytes + weight > w.maximum
    order by w.place limit 1;
  if exceeded is null then
    update upload_totals t set bytes = t.bytes + weight
      from unnest(sums, names) w (sum, name)
      where t.day = on_day and t.sum = w.sum and t.name = w.name;
  end if;
  return exceeded;
end $$;
