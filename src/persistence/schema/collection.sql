create table collections (
  id text primary key,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  owner_id text not null references accounts (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 255),
  -- What follows the id in addresses; empty where nothing of the name is left.
  slug text not null check (char_length(slug) <= 100),
  description text check (char_length(description) between 1 and 2000),
  -- What is in it, and what was submitted to it and awaits its owner.
  item_count integer not null default 0 check (item_count between 0 and 500),
  submission_count integer not null default 0 check (submission_count between 0 and 100),
  unique (id, owner_id)
);

create index collections_newest on collections (created_at desc, id desc);
create index collections_of_owner on collections (owner_id, created_at desc, id desc);
create index collections_slug on collections (slug, created_at, id);

-- How many collections there are: of each account that has had any, and of all. The latter in several rows,
-- so that writers rarely wait for each other.
create table collection_owners (
  account_id text primary key references accounts (id) on delete cascade,
  collections integer not null check (collections between 0 and 1000)
);

create table collection_totals (
  shard smallint primary key,
  collections integer not null
);

insert into collection_totals (shard, collections) select generate_series(0, 15), 0;

create function count_collections_insert() returns trigger language plpgsql as $$
begin
  insert into collection_owners as known (account_id, collections)
    select owner_id, count(*)::int from changed group by owner_id order by owner_id
    on conflict (account_id) do update set collections = known.collections + excluded.collections;
  update collection_totals set collections = collections + (select count(*)::int from changed)
    where shard = pg_backend_pid() % 16;
  return null;
end $$;
create trigger collections_count_insert after insert on collections referencing new table as changed
  for each statement execute function count_collections_insert();

create function count_collections_delete() returns trigger language plpgsql as $$
begin
  update collection_owners o set collections = o.collections - c.n
    from (select owner_id, count(*)::int as n from changed group by owner_id) c where o.account_id = c.owner_id;
  update collection_totals set collections = collections - (select count(*)::int from changed)
    where shard = pg_backend_pid() % 16;
  return null;
end $$;
create trigger collections_count_delete after delete on collections referencing old table as changed
  for each statement execute function count_collections_delete();

create table collection_items (
  id text primary key,
  collection_id text not null,
  -- The owner of the collection.
  owner_id text not null,
  -- Null if the account is gone.
  added_by text references accounts (id) on delete set null,
  added_at timestamptz not null,
  membership_type text not null check (membership_type in ('normal', 'submission_review', 'submission_accepted')),
  -- One column for each kind of item, of which one is set.
  post_id text references posts (id) on delete cascade,
  -- The thread of the post.
  thread_id text references threads (id) on delete cascade,
  -- Pages are deleted at once, and so that no writer of pages has to lock collections, items are removed
  -- later; until then nobody sees them.
  node_id text,
  check ((post_id is null) = (thread_id is null)),
  foreign key (collection_id, owner_id) references collections (id, owner_id) on delete cascade,
  constraint collection_items_one_item check (num_nonnulls(post_id, node_id) = 1)
);

create unique index collection_items_post on collection_items (collection_id, post_id);
create index collection_items_newest on collection_items (collection_id, owner_id, added_at desc, id desc);
create index collection_items_collected on collection_items (owner_id, post_id)
  where membership_type <> 'submission_review';
create index collection_items_post_id on collection_items (post_id) where post_id is not null;
create index collection_items_thread_id on collection_items (thread_id) where thread_id is not null;
create index collection_items_added_by on collection_items (added_by) where added_by is not null;
create unique index collection_items_node on collection_items (collection_id, node_id);
create index collection_items_node_id on collection_items (node_id) where node_id is not null;

-- Threads are locked in the order of their ids, after the collections.
create function count_collection_items_insert() returns trigger language plpgsql as $$
begin
  perform from threads
    where id in (
      select post_id from (select collection_id, post_id, membership_type, 1 as n from added) c
        where membership_type <> 'submission_review'
    )
    order by id for no key update;
  update threads t set in_collections = t.in_collections + c.n
    from (
      select post_id, sum(n)::int as n from (select collection_id, post_id, membership_type, 1 as n from added) c
        where membership_type <> 'submission_review' group by post_id having sum(n) <> 0
    ) c
    where t.id = c.post_id;
  update collections o
    set item_count = o.item_count + c.items, submission_count = o.submission_count + c.submissions
    from (
      select collection_id, coalesce(sum(n) filter (where membership_type <> 'submission_review'), 0)::int as items,
        coalesce(sum(n) filter (where membership_type = 'submission_review'), 0)::int as submissions
      from (select collection_id, post_id, membership_type, 1 as n from added) c group by collection_id
    ) c where o.id = c.collection_id and (c.items, c.submissions) <> (0, 0);
  return null;
end $$;
create trigger collection_items_count_insert after insert on collection_items
  referencing new table as added for each statement execute function count_collection_items_insert();

create function count_collection_items_update() returns trigger language plpgsql as $$
begin
  perform from threads
    where id in (
      select post_id from (
        select collection_id, post_id, membership_type, 1 as n from added
        union all select collection_id, post_id, membership_type, -1 as n from removed
      ) c
        where membership_type <> 'submission_review'
    )
    order by id for no key update;
  update threads t set in_collections = t.in_collections + c.n
    from (
      select post_id, sum(n)::int as n from (
        select collection_id, post_id, membership_type, 1 as n from added
        union all select collection_id, post_id, membership_type, -1 as n from removed
      ) c
        where membership_type <> 'submission_review' group by post_id having sum(n) <> 0
    ) c
    where t.id = c.post_id;
  update collections o
    set item_count = o.item_count + c.items, submission_count = o.submission_count + c.submissions
    from (
      select collection_id, coalesce(sum(n) filter (where membership_type <> 'submission_review'), 0)::int as items,
        coalesce(sum(n) filter (where membership_type = 'submission_review'), 0)::int as submissions
      from (
        select collection_id, post_id, membership_type, 1 as n from added
        union all select collection_id, post_id, membership_type, -1 as n from removed
      ) c group by collection_id
    ) c where o.id = c.collection_id and (c.items, c.submissions) <> (0, 0);
  return null;
end $$;
create trigger collection_items_count_update after update on collection_items
  referencing old table as removed new table as added
  for each statement execute function count_collection_items_update();

create function count_collection_items_delete() returns trigger language plpgsql as $$
begin
  perform from threads
    where id in (
      select post_id from (select collection_id, post_id, membership_type, -1 as n from removed) c
        where membership_type <> 'submission_review'
    )
    order by id for no key update;
  update threads t set in_collections = t.in_collections + c.n
    from (
      select post_id, sum(n)::int as n from (select collection_id, post_id, membership_type, -1 as n from removed) c
        where membership_type <> 'submission_review' group by post_id having sum(n) <> 0
    ) c
    where t.id = c.post_id;
  update collections o
    set item_count = o.item_count + c.items, submission_count = o.submission_count + c.submissions
    from (
      select collection_id, coalesce(sum(n) filter (where membership_type <> 'submission_review'), 0)::int as items,
        coalesce(sum(n) filter (where membership_type = 'submission_review'), 0)::int as submissions
      from (select collection_id, post_id, membership_type, -1 as n from removed) c group by collection_id
    ) c where o.id = c.collection_id and (c.items, c.submissions) <> (0, 0);
  return null;
end $$;
create trigger collection_items_count_delete after delete on collection_items
  referencing old table as removed for each statement execute function count_collection_items_delete();
