create table links (
  id text primary key,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- A value as long as an index may hold, in ASCII.
  url text not null constraint links_url unique constraint links_url_length check (length(url) <= 2048),
  slug text not null unique,
  domain text not null,
  title text not null default '',
  description text not null default '',
  -- Three lines: the title, the description, the address. What is searched for has no line break.
  search_text text not null default '',
  -- Whose words the title and the description are, if they are not the page's.
  described_by text references accounts (id) on delete set null,
  -- Copies, so that readers need not ask the page's server.
  favicon_id text references assets (id) on delete set null,
  primary_image_id text references assets (id) on delete set null,
  -- Whether somebody added it as a link, and did not only write it into a text.
  is_added boolean not null default false,
  -- Whether it was added, or stands in something that is published and not deleted.
  is_public boolean not null default false,
  shown_version bigint not null default 0,
  constraint links_text_length check (char_length(title) <= 255 and char_length(description) <= 1000)
);

create index links_search_text on links using gin (search_text gin_trgm_ops);
create index links_described_by on links (described_by) where described_by is not null;
create index links_favicon_id on links (favicon_id) where favicon_id is not null;
create index links_primary_image_id on links (primary_image_id) where primary_image_id is not null;
create index links_public_newest on links (created_at desc, id desc) where is_public;

-- How many public links there are. Several rows, and each connection has its own, so that writers rarely
-- wait.
create table link_totals (
  shard smallint primary key,
  links integer not null
);

insert into link_totals (shard, links) select generate_series(0, 15), 0;

-- Deferred, so that a transaction takes the one row that others may wait for when it has taken all others.
create function count_links() returns trigger language plpgsql as $$
begin
  update link_totals set links = links + case when tg_op <> 'DELETE' and new.is_public then 1 else -1 end
    where shard = pg_backend_pid() % 16;
  return null;
end $$;
create constraint trigger links_count_insert after insert on links deferrable initially deferred
  for each row when (new.is_public) execute function count_links();
create constraint trigger links_count_update after update of is_public on links deferrable initially deferred
  for each row when (old.is_public <> new.is_public) execute function count_links();
create constraint trigger links_count_delete after delete on links deferrable initially deferred
  for each row when (old.is_public) execute function count_links();

create function bump_links_version() returns trigger language plpgsql as $$
begin
  -- Once in a transaction, however many rows it changes.
  if current_setting('forum.links_version_raised', true) is distinct from pg_current_xact_id()::text then
    perform set_config('forum.links_version_raised', pg_current_xact_id()::text, true);
    update change_versions set links = links + 1 where shard = pg_backend_pid() % 16;
  end if;
  return null;
end $$;
-- Only what answers show of a link makes them other answers.
create constraint trigger links_shared_version after update of id, created_at, updated_at, url, slug, domain, title,
  description, favicon_id, primary_image_id on links deferrable initially deferred
  for each row execute function bump_links_version();

create trigger links_shown_version before update on links
  for each row
  when ((
      old.created_at, old.updated_at, old.url, old.slug, old.domain, old.title, old.description,
      old.favicon_id, old.primary_image_id
    ) is distinct from (
      new.created_at, new.updated_at, new.url, new.slug, new.domain, new.title, new.description,
      new.favicon_id, new.primary_image_id
    ))
  execute function bump_shown_version();

-- The pages of links that are to be read, or have been. What waits has a time at which it is due.
create table link_fetches (
  link_id text primary key references links (id) on delete cascade,
  host text not null,
  due_at timestamptz,
  tries integer not null default 0 check (tries >= 0),
  ended_at timestamptz,
  -- Why the last try read no page.
  reason text check (length(reason) <= 100),
  -- It waits, or it is over.
  check ((due_at is null) <> (ended_at is null))
);

create index link_fetches_due on link_fetches (due_at, link_id) where due_at is not null;

-- How much the copies of pictures take that were made on the last day on which any were made. One row: few
-- are made at a time.
create table link_picture_totals (
  is_only boolean primary key default true check (is_only),
  -- In UTC.
  day date not null,
  bytes bigint not null check (bytes >= 0)
);

-- Whether a link stands in something that everybody reads who reads its kind.
create function is_link_published(link text) returns boolean language sql stable as $$
  select exists (select from threads t
    where t.link_id = link and t.visibility = 'published' and t.deleted_at is null)
  or exists (select from nodes n where n.link_id = link and n.visibility = 'published')
  or exists (select from post_links l join posts p on p.id = l.post_id join threads t on t.id = p.thread_id
    where l.link_id = link and p.visibility = 'published' and p.deleted_at is null
      and t.visibility = 'published' and t.deleted_at is null)
  or exists (select from node_links l join nodes n on n.id = l.node_id
    where l.link_id = link and n.visibility = 'published')
$$;

-- Links of which a running transaction has published, taken back or deleted what they stand in. Nobody else ever
-- sees a row: each is gone when its transaction commits.
create unlogged table link_changes (
  xact xid8 not null default pg_current_xact_id(),
  link_id text not null,
  -- Whether all that happened to what it stands in made that public.
  becomes_public boolean not null,
  primary key (xact, link_id)
);

-- At the end of the transaction, for all its links at once and in one order: a transaction that locked them whenever
-- it changed another text waited for one that locked them in the order of its own texts, and that one for it.
create function settle_links() returns trigger language plpgsql as $$
declare
  changed text[];
  shown text[];
begin
  with taken as (delete from link_changes where xact = pg_current_xact_id() returning *)
    select array_agg(link_id), array_agg(link_id) filter (where becomes_public) into changed, shown from taken;
  if changed is null then
    return null;
  end if;
  -- A statement of its own: once they are locked, the next one sees what others have published or taken back.
  perform from links where id = any(changed) and not is_added order by id for no key update;
  update links l set is_public = found.is_public
    from (select id, id = any(coalesce(shown, '{}')) or is_link_published(id) as is_public
      from links where id = any(changed) and not is_added) found
    where l.id = found.id and l.is_public <> found.is_public;
  return null;
end $$;
create constraint trigger link_changes_settled after insert on link_changes deferrable initially deferred
  for each row execute function settle_links();

create function follow_links(ids text[], becomes_public boolean) returns void language sql as $$
  insert into link_changes as c (link_id, becomes_public)
    select distinct id, follow_links.becomes_public from unnest(ids) id where id is not null
    on conflict (xact, link_id) do update
      set becomes_public = c.becomes_public and excluded.becomes_public
$$;

create function hide_links_of_texts() returns trigger language plpgsql as $$
begin
  perform follow_links(array(select link_id from changed), false);
  return null;
end $$;
