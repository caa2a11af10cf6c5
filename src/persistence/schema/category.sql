create table categories (
  id text primary key,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  name text not null unique,
  slug text not null unique,
  description text not null,
  colour text not null,
  sort integer not null default 0,
  parent_id text references categories (id) on delete set null check (parent_id <> id),
  meta jsonb not null default '{}',
  post_count integer not null default 0 check (post_count >= 0),
  version bigint not null default 0,
  -- How many bytes a category adds to the list of all.
  bytes integer not null generated always as (
    octet_length(name) + octet_length(slug) + octet_length(description) + octet_length(colour)
      + octet_length(meta::text)) stored,
  cover_image_asset_id text references assets (id) on delete set null
);

create index categories_parent on categories (parent_id, sort);
create index categories_cover_image_asset_id on categories (cover_image_asset_id)
  where cover_image_asset_id is not null;

-- Held by every transaction that changes which categories there are and which contains which.
create function lock_category_tree() returns void language sql volatile as $$
  select pg_advisory_xact_lock(731620001, 0)
$$;

-- Threads enter a category through an entrance, which is closed before it is deleted. A lock of its row could
-- not do that: writers that have locked a thread count it on the row later.
create function enter_category(category text) returns void language sql volatile as $$
  select pg_advisory_xact_lock_shared(731620002, hashtext(category))
$$;

create function close_category(category text) returns void language sql volatile as $$
  select pg_advisory_xact_lock(731620002, hashtext(category))
$$;

-- PostgreSQL takes no condition on whole rows for a table with generated columns once it is restored from a
-- dump: the columns are named. A migration that adds a column makes the trigger anew.
create trigger categories_version before update on categories for each row
  when ((
      old.id, old.created_at, old.updated_at, old.name, old.slug, old.description, old.colour,
      old.sort, old.parent_id, old.meta, old.post_count, old.version, old.cover_image_asset_id
    ) is distinct from (
      new.id, new.created_at, new.updated_at, new.name, new.slug, new.description, new.colour,
      new.sort, new.parent_id, new.meta, new.post_count, new.version, new.cover_image_asset_id
    ))
  execute function bump_version();

create constraint trigger categories_shared_version after update on categories deferrable initially deferred
  for each row execute function bump_tags_and_categories_version();

-- A statement sees what others have committed once it has the lock; what it finds then stays until it
-- commits.
create function check_category_tree() returns trigger language plpgsql as $$
begin
  perform lock_category_tree();
  if (select count(*) from categories) > 2000 then
    raise exception 'The categories exceed a limit: categories_number'
      using errcode = 'check_violation', constraint = 'categories_number', table = 'categories';
  end if;
  if (select sum(bytes) from categories) > 1048576 then
    raise exception 'The categories exceed a limit: categories_bytes'
      using errcode = 'check_violation', constraint = 'categories_bytes', table = 'categories';
  end if;
  -- What is not reached from above in so many steps is in a circle, or too deep.
  if (
    with recursive tree as (
      select id, 1 as level from categories where parent_id is null
      union all
      select c.id, t.level + 1 from categories c join tree t on c.parent_id = t.id
        where t.level < 8
    )
    select count(*) from tree
  ) <> (select count(*) from categories) then
    raise exception 'The categories exceed a limit: categories_levels'
      using errcode = 'check_violation', constraint = 'categories_levels', table = 'categories';
  end if;
  return null;
end $$;
create trigger categories_tree after insert or update of parent_id, name, slug, description, colour, meta
  on categories for each statement execute function check_category_tree();
