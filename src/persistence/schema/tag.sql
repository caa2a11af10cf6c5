create table tags (
  id text primary key,
  created_at timestamptz not null,
  name text not null unique check (name <> ''),
  item_count integer not null default 0 check (item_count >= 0),
  version bigint not null default 0
);

create index tags_by_count on tags (item_count desc, name collate "C");
create index tags_search on tags using gin (name gin_trgm_ops);

create trigger tags_version before update on tags
  for each row when (old.* is distinct from new.*) execute function bump_version();

create constraint trigger tags_shared_version after update on tags deferrable initially deferred
  for each row execute function bump_tags_and_categories_version();

-- How many tags there are. Several rows, so that writers rarely wait for each other.
create table tag_totals (
  shard smallint primary key,
  tags integer not null
);

insert into tag_totals (shard, tags) select generate_series(0, 15), 0;

create function count_tags_insert() returns trigger language plpgsql as $$
begin
  update tag_totals set tags = tags + c.n from (select count(*)::int as n from changed) c
    where shard = pg_backend_pid() % 16 and c.n > 0;
  return null;
end $$;
create trigger tags_count_insert after insert on tags referencing new table as changed
  for each statement execute function count_tags_insert();

create function count_tags_delete() returns trigger language plpgsql as $$
begin
  update tag_totals set tags = tags - c.n from (select count(*)::int as n from changed) c
    where shard = pg_backend_pid() % 16 and c.n > 0;
  return null;
end $$;
create trigger tags_count_delete after delete on tags referencing old table as changed
  for each statement execute function count_tags_delete();
