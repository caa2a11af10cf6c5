create table nodes (
  id text primary key,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  owner_id text not null references accounts (id),
  -- Null at the top level.
  parent_id text references nodes (id) check (parent_id <> id),
  -- Where it is among its siblings: a text that sorts before and after those of its neighbours, by bytes.
  position text collate "C" not null check (position <> '' and octet_length(position) <= 255),
  name text not null check (char_length(name) between 1 and 255),
  slug text not null unique check (char_length(slug) between 1 and 255),
  -- As the owner wrote it, or the beginning of the content.
  description text not null default '',
  -- Null if it was never given any.
  content text,
  hide_child_tree boolean not null default false,
  visibility text not null check (visibility in ('draft', 'unlisted', 'review', 'published')),
  meta jsonb not null default '{}',
  link_id text references links (id),
  primary_image_id text references assets (id) on delete set null,
  -- The applied version that the node is; null once it has been changed otherwise.
  current_version_id text,
  version bigint not null default 0,
  -- The name in the form in which texts are compared.
  name_form text not null default '',
  -- What nodes know of the rows of other tables that belong to them, which need not be looked for then.
  tag_ids text[] not null default '{}',
  asset_count integer not null default 0 check (asset_count >= 0),
  value_bytes integer not null default 0 check (value_bytes >= 0),
  -- Of the fields that its children share.
  field_bytes integer not null default 0 check (field_bytes >= 0),
  -- About how many bytes it takes in an answer, but for what every node has, and for the fields of
  -- properties.
  weight integer not null default 0,
  -- As field_bytes, of the fields that it has at the top level.
  own_field_bytes integer not null default 0 check (own_field_bytes >= 0),
  -- Of what `weight` counts, the bytes of the metadata.
  meta_bytes integer not null generated always as (octet_length(meta::text)) stored,
  -- All siblings may get new places in one statement, in which two have the same one for a moment. With what
  -- decides who sees a node, so that no node is read for the number and the order of its siblings.
  constraint nodes_siblings unique nulls not distinct (parent_id, position) include (id, owner_id, visibility)
    deferrable initially immediate
);

-- Told to the planner, which would think that nodes have thousands of children each where most are children of one,
-- and read all of them for each node of a list: by average, a node has ten.
alter table nodes alter column parent_id set (n_distinct = -0.1);

create index nodes_owner on nodes (owner_id, visibility, id);
create index nodes_primary_image_id on nodes (primary_image_id) where primary_image_id is not null;
create index nodes_current_version_id on nodes (current_version_id) where current_version_id is not null;
-- Siblings in their order, without those that the viewer does not see, of which there may be any number.
create index nodes_published on nodes (parent_id, position) where visibility = 'published';
create index nodes_in_review on nodes (parent_id, position) where visibility = 'review';
create index nodes_unpublished on nodes (parent_id, owner_id, position) where visibility <> 'published';
-- The published pages that changed last.
create index nodes_newest on nodes (updated_at desc, id desc) where visibility = 'published';
-- What is published about a link is found without what is not, of which there may be any number.
create index nodes_link_id on nodes (link_id, visibility, id) where link_id is not null;
-- The largest children of a node.
create index nodes_largest on nodes
  (parent_id, (weight + field_bytes + octet_length(description)) desc) where parent_id is not null;

-- PostgreSQL takes no condition on whole rows for a table with generated columns once it is restored from a
-- dump: the columns are named. A migration that adds a column makes the trigger anew.
create trigger nodes_version before update on nodes for each row
  when ((
      old.id, old.created_at, old.updated_at, old.owner_id, old.parent_id, old.position, old.name,
      old.slug, old.description, old.content, old.hide_child_tree, old.visibility, old.meta,
      old.link_id, old.primary_image_id, old.current_version_id, old.version, old.name_form,
      old.tag_ids, old.asset_count, old.value_bytes, old.field_bytes, old.weight,
      old.own_field_bytes
    ) is distinct from (
      new.id, new.created_at, new.updated_at, new.owner_id, new.parent_id, new.position, new.name,
      new.slug, new.description, new.content, new.hide_child_tree, new.visibility, new.meta,
      new.link_id, new.primary_image_id, new.current_version_id, new.version, new.name_form,
      new.tag_ids, new.asset_count, new.value_bytes, new.field_bytes, new.weight,
      new.own_field_bytes
    ))
  execute function bump_version();

-- Held by every transaction for which no node may move.
create function hold_library_tree() returns void language sql volatile as $$
  select pg_advisory_xact_lock_shared(731620003, 0)
$$;

-- Held by every transaction that moves or deletes nodes; those that add some share it.
create function lock_library_tree() returns void language sql volatile as $$
  select pg_advisory_xact_lock(731620003, 0)
$$;

-- Held by every transaction that adds a node to a group of siblings or changes their fields.
create function enter_library_group(parent text) returns void language sql volatile as $$
  select pg_advisory_xact_lock_shared(731620003, 0);
  select pg_advisory_xact_lock(731620004, hashtext(coalesce(parent, '')))
$$;

-- Whether a node may be given a slug, as far as other running transactions are concerned: none gives it or
-- takes it from a node. Nobody waits for one that does, so that those who exchange slugs do not wait for each
-- other.
create function take_node_slug(node text, wanted text) returns boolean language sql volatile as $$
  select coalesce(bool_and(pg_try_advisory_xact_lock(731620005, hashtext(slug))), true) from (
    select wanted as slug where not exists (select from nodes where id = node and slug = wanted)
    union
    select slug from nodes where id = node and slug <> wanted
  ) touched
$$;

-- At least as many levels as a node has with those below it; without a row, it has one. Kept so that a node
-- moves without a look at what it contains. Never lowered: where it is too high to let a node move, the
-- levels are counted.
create table node_heights (
  node_id text primary key references nodes (id) on delete cascade,
  height smallint not null check (height between 2 and 64)
);

-- By the index of ids only, as its plan may be kept from when the table was small, and one statement may add
-- thousands. Of a small table, the whole index of siblings is read as soon: it has the ids as well.
create function check_added_node() returns trigger language plpgsql
  set enable_seqscan = off set enable_indexonlyscan = off as $$
declare
  containing text[];
  below constant integer := 1;
begin
  -- A statement sees what others have committed once it has the lock; what it finds then stays until it
  -- commits.
  perform hold_library_tree();
  containing := (
    with recursive chain as (
      select new.parent_id as id, 1 as distance
      union all
      select (select parent_id from nodes where id = c.id), c.distance + 1 from chain c
        where c.id is not null and c.distance <= 64
    )
    select array_agg(id order by distance) from chain where id is not null
  );
  if cardinality(containing) >= 64 then
    raise exception 'A node cannot be there: nodes_levels'
      using errcode = 'check_violation', constraint = 'nodes_levels', table = 'nodes';
  end if;
  insert into node_heights as h (node_id, height)
    select a.id, a.distance + below from unnest(containing) with ordinality a (id, distance)
      where coalesce((select height from node_heights where node_id = a.id), 1) < a.distance + below
      order by a.distance
    on conflict (node_id) do update set height = excluded.height where h.height < excluded.height;
  return null;
end $$;
create trigger nodes_tree_insert after insert on nodes
  for each row when (new.parent_id is not null) execute function check_added_node();

-- Once for all nodes of a statement, as one that contained thousands may have been deleted. Without nested
-- loops, as its plans are kept from small statements, and others change thousands of nodes; what it reads of
-- other nodes is found by ids in arrays, through indexes.
create function check_moved_nodes() returns trigger language plpgsql
  set enable_nestloop = off set enable_seqscan = off set enable_indexonlyscan = off as $$
declare
  target text;
  moved text[];
  containing text[];
  lowest text[];
  below integer;
begin
  for target, moved in
    select n.parent_id, array_agg(n.id) from node_after n join node_before o using (id)
      where n.parent_id is not null and n.parent_id is distinct from o.parent_id group by n.parent_id
  loop
    perform lock_library_tree();
    containing := (
      with recursive chain as (
        select target as id, 1 as distance
        union all
        select (select parent_id from nodes where id = c.id), c.distance + 1 from chain c
          where c.id is not null and c.distance <= 64
      )
      select array_agg(id order by distance) from chain where id is not null
    );
    if containing && moved then
      raise exception 'A node cannot be there: nodes_circle'
        using errcode = 'check_violation', constraint = 'nodes_circle', table = 'nodes';
    end if;
    select coalesce(max(height), 1) into below from node_heights where node_id = any(moved);
    if cardinality(containing) + below > 64 then
      below := 0;
      lowest := moved;
      while lowest is not null and cardinality(containing) + below <= 64 loop
        below := below + 1;
        select array_agg(id) into lowest from nodes where parent_id = any(lowest);
      end loop;
    end if;
    if cardinality(containing) + below > 64 then
      raise exception 'A node cannot be there: nodes_levels'
        using errcode = 'check_violation', constraint = 'nodes_levels', table = 'nodes';
    end if;
    insert into node_heights as h (node_id, height)
      select a.id, a.distance + below from unnest(containing) with ordinality a (id, distance)
        where coalesce((select height from node_heights where node_id = a.id), 1) < a.distance + below
        order by a.distance
      on conflict (node_id) do update set height = excluded.height where h.height < excluded.height;
  end loop;
  return null;
end $$;
create trigger nodes_tree_update after update on nodes
  referencing old table as node_before new table as node_after
  for each statement execute function check_moved_nodes();

create function weigh_node() returns trigger language plpgsql as $$
begin
  new.weight := coalesce(octet_length(to_json(new.content)::text), 0) + octet_length(new.meta::text)
    + 500 * new.asset_count + 200 * cardinality(new.tag_ids)
    + case when new.link_id is null then 0 else 5000 end + new.value_bytes;
  return new;
end $$;
create trigger nodes_weight before insert or update of content, meta, asset_count, tag_ids, link_id, value_bytes
  on nodes for each row execute function weigh_node();

-- Whoever deletes nodes holds the lock of the tree, so that nobody adds one to the group.
create function delete_fields_of_nobody() returns trigger language plpgsql as $$
begin
  delete from property_fields f where parent_id in (select parent_id from gone)
    and not exists (select from nodes n where n.parent_id = f.parent_id);
  return null;
end $$;
create trigger nodes_fields_of_nobody after delete on nodes referencing old table as gone
  for each statement execute function delete_fields_of_nobody();

-- The newest published nodes of a tag, without those that are hidden, of which there may be any number.
create function list_tags_of_node() returns trigger language plpgsql as $$
begin
  update node_tags g set listed = not g.listed
    where node_id = new.id and g.listed <> (new.visibility = 'published');
  return null;
end $$;
create trigger nodes_listed after update of visibility on nodes
  for each row when (old.visibility <> new.visibility) execute function list_tags_of_node();

create function follow_node_in_search() returns trigger language plpgsql as $$
begin
  update search_texts set visibility = new.visibility where id = new.id;
  return null;
end $$;
create trigger nodes_search after update of visibility on nodes for each row
  when (old.visibility <> new.visibility) execute function follow_node_in_search();

create function follow_owner_of_node() returns trigger language plpgsql as $$
begin
  update search_texts set author_id = new.owner_id where id = new.id;
  return null;
end $$;
create trigger nodes_owner after update of owner_id on nodes for each row
  when (old.owner_id <> new.owner_id) execute function follow_owner_of_node();

create function leave_search_with_nodes() returns trigger language plpgsql as $$
begin
  delete from search_texts where id in (select id from gone);
  return null;
end $$;
create trigger nodes_search_gone after delete on nodes referencing old table as gone
  for each statement execute function leave_search_with_nodes();

create function follow_links_of_node() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform follow_links(array[old.link_id], false);
    return null;
  end if;
  if tg_op = 'UPDATE' and old.link_id is distinct from new.link_id and old.link_id is not null then
    perform follow_links(array[old.link_id], false);
  end if;
  perform follow_links(array(
      select new.link_id where new.link_id is not null
      union select link_id from node_links where node_id = new.id
    ), new.visibility = 'published');
  return null;
end $$;
create trigger nodes_links_insert after insert on nodes for each row
  when (new.link_id is not null and new.visibility = 'published') execute function follow_links_of_node();
create trigger nodes_links_update after update of visibility, link_id on nodes for each row
  when (old.link_id is distinct from new.link_id
    or (old.visibility = 'published') <> (new.visibility = 'published'))
  execute function follow_links_of_node();
create trigger nodes_links_delete after delete on nodes for each row
  when (old.link_id is not null and old.visibility = 'published') execute function follow_links_of_node();

create table node_versions (
  id text primary key,
  node_id text not null references nodes (id) on delete cascade,
  author_id text not null references accounts (id),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  status text not null check (status in ('draft', 'applied')),
  name text not null check (char_length(name) between 1 and 255),
  slug text not null check (char_length(slug) between 1 and 255),
  description text,
  content text,
  -- An array of {fid, name, type, value, sort}.
  properties jsonb not null check (jsonb_typeof(properties) = 'array'),
  meta jsonb not null,
  -- Versions are numbered from 1 in the order in which they were applied, so that any part of a long history
  -- is found at once; null while it is a draft.
  ordinal integer check (ordinal > 0),
  -- The description that the content gives the node; null if the content is the node's own.
  excerpt text,
  -- About how many bytes it takes in an answer, but for what every version has.
  weight integer not null generated always as (
    coalesce(octet_length(content), 0) + octet_length(properties::text) + octet_length(meta::text)) stored,
  -- The addresses in the content of a version; null if the content is the node's own.
  links text[],
  -- The fields of the node when the properties were written; null if the properties are the node's own.
  known_fields jsonb constraint node_versions_known_check check (jsonb_typeof(known_fields) = 'array'),
  constraint node_versions_numbered check ((status = 'applied') = (ordinal is not null))
);

-- Pages and their versions name each other.
alter table nodes add constraint nodes_current_version_id foreign key (current_version_id)
  references node_versions (id) on delete set null deferrable initially deferred;

create unique index node_versions_draft on node_versions (node_id) where status = 'draft';
create index node_versions_drafts on node_versions (updated_at desc, id desc) where status = 'draft';
create index node_versions_author on node_versions (author_id, status, updated_at desc, id desc);
create unique index node_versions_ordinal on node_versions (node_id, ordinal);
-- What takes more than a fiftieth of the 2 MiB of a list, for the lists that show it.
create index node_versions_large on node_versions (node_id) where weight > 41943;
create index node_versions_large_drafts on node_versions (author_id)
  where weight > 41943 and status = 'draft';

-- How many drafts each account has that are neither applied nor deleted.
create table node_draft_counts (
  account_id text primary key references accounts (id) on delete cascade,
  drafts integer not null constraint node_drafts_number check (drafts between 0 and 1000)
);

create function count_node_drafts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into node_draft_counts as known (account_id, drafts) values (new.author_id, 1)
      on conflict (account_id) do update set drafts = known.drafts + 1;
  else
    update node_draft_counts set drafts = drafts - 1 where account_id = old.author_id;
  end if;
  return null;
end $$;
create trigger node_versions_drafts_insert after insert on node_versions
  for each row when (new.status = 'draft') execute function count_node_drafts();
create trigger node_versions_drafts_applied after update of status on node_versions
  for each row when (old.status = 'draft' and new.status <> 'draft') execute function count_node_drafts();
create trigger node_versions_drafts_delete after delete on node_versions
  for each row when (old.status = 'draft') execute function count_node_drafts();

create table node_tags (
  node_id text not null references nodes (id) on delete cascade,
  tag_id text not null references tags (id) on delete cascade,
  listed boolean not null default false,
  primary key (node_id, tag_id)
);

create index node_tags_tag_id on node_tags (tag_id, node_id);
create index node_tags_listed on node_tags (tag_id, node_id desc) where listed;

create function node_tags_show() returns trigger language plpgsql as $$
declare
  -- The plan for an array is right for thousands of nodes, too; one for `changed` is kept from the first,
  -- small one.
  touched constant text[] := array(select distinct node_id from changed);
begin
  if touched <> '{}' then
    update nodes n set version = version + 1,
        tag_ids = array(select tag_id from node_tags where node_id = n.id order by tag_id)
      where id = any(touched);
  end if;
  return null;
end $$;
create trigger node_tags_show_insert after insert on node_tags referencing new table as changed
  for each statement execute function node_tags_show();
create trigger node_tags_show_update after update on node_tags referencing new table as changed
  for each statement execute function node_tags_show();
create trigger node_tags_show_delete after delete on node_tags referencing old table as changed
  for each statement execute function node_tags_show();

create function list_node_tag() returns trigger language plpgsql as $$
begin
  new.listed := exists (select from nodes where id = new.node_id and visibility = 'published');
  return new;
end $$;
create trigger node_tags_listed before insert on node_tags for each row execute function list_node_tag();

create table node_assets (
  node_id text not null references nodes (id) on delete cascade,
  asset_id text not null references assets (id) on delete cascade,
  added_at timestamptz not null,
  primary key (node_id, asset_id)
);

create index node_assets_asset_id on node_assets (asset_id);

create function node_assets_show() returns trigger language plpgsql as $$
declare
  -- The plan for an array is right for thousands of nodes, too; one for `changed` is kept from the first,
  -- small one.
  touched constant text[] := array(select distinct node_id from changed);
begin
  if touched <> '{}' then
    update nodes n set version = version + 1,
        asset_count = (select count(*)::int from node_assets where node_id = n.id)
      where id = any(touched);
  end if;
  return null;
end $$;
create trigger node_assets_show_insert after insert on node_assets referencing new table as changed
  for each statement execute function node_assets_show();
create trigger node_assets_show_update after update on node_assets referencing new table as changed
  for each statement execute function node_assets_show();
create trigger node_assets_show_delete after delete on node_assets referencing old table as changed
  for each statement execute function node_assets_show();

-- What the content of a node links to, in its order.
create table node_links (
  node_id text not null references nodes (id) on delete cascade,
  link_id text not null references links (id) on delete cascade,
  position integer not null,
  primary key (node_id, link_id)
);

create index node_links_link_id on node_links (link_id);

create function show_links_of_nodes() returns trigger language plpgsql as $$
begin
  perform follow_links(array(select c.link_id from changed c join nodes n on n.id = c.node_id
    where n.visibility = 'published'), true);
  return null;
end $$;
create trigger node_links_public_insert after insert on node_links referencing new table as changed
  for each statement execute function show_links_of_nodes();

create trigger node_links_public_delete after delete on node_links referencing old table as changed
  for each statement execute function hide_links_of_texts();

-- The columns that all children of a node share, or those of one node of the top level: nodes there share
-- none.
create table property_fields (
  fid text primary key,
  -- The node whose children have it.
  parent_id text references nodes (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 255),
  type text not null check (type in ('text', 'number', 'timestamp', 'boolean')),
  sort text collate "C" not null check (char_length(sort) <= 255),
  -- Raised by any change, and never the same for two fields: what validators are made of.
  version bigint not null,
  -- The node of the top level that has it.
  node_id text references nodes (id) on delete cascade,
  -- Two fields may exchange their names in one statement.
  constraint property_fields_name unique (parent_id, name) deferrable,
  constraint property_fields_own_name unique (node_id, name) deferrable,
  constraint property_fields_owner check (num_nonnulls(parent_id, node_id) = 1)
);

create sequence property_field_versions;

create function raise_property_field_version() returns trigger language plpgsql as $$
begin
  new.version := nextval('property_field_versions');
  return new;
end $$;
create trigger property_fields_version before insert or update on property_fields
  for each row execute function raise_property_field_version();

create function check_property_fields() returns trigger language plpgsql as $$
declare
  parent text;
  node text;
  number integer;
begin
  for parent, node in select distinct parent_id, node_id from changed loop
    -- Each by its index.
    if node is null then
      select count(*) into number from property_fields where parent_id = parent;
    else
      select count(*) into number from property_fields where node_id = node;
    end if;
    if number > 100 then
      raise exception 'A group of nodes has too many fields'
        using errcode = 'check_violation', constraint = 'property_fields_number', table = 'property_fields';
    end if;
  end loop;
  return null;
end $$;
create trigger property_fields_number after insert on property_fields
  referencing new table as changed for each statement execute function check_property_fields();

create function property_fields_show() returns trigger language plpgsql as $$
declare
  -- The plan for an array is right for thousands of nodes, too.
  touched constant text[] := array(select parent_id from changed where parent_id is not null
    union select node_id from changed where node_id is not null);
begin
  update nodes n set version = version + 1,
      field_bytes = (select coalesce(sum(octet_length(name) + octet_length(sort) + 100), 0)::int
        from property_fields where parent_id = n.id),
      own_field_bytes = (select coalesce(sum(octet_length(name) + octet_length(sort) + 100), 0)::int
        from property_fields where node_id = n.id)
    where id = any(touched);
  return null;
end $$;
create trigger property_fields_show_insert after insert on property_fields
  referencing new table as changed for each statement execute function property_fields_show();
create trigger property_fields_show_update after update on property_fields
  referencing new table as changed for each statement execute function property_fields_show();
create trigger property_fields_show_delete after delete on property_fields
  referencing old table as changed for each statement execute function property_fields_show();

-- No number, instant or boolean is written with more than 100 characters.
create function property_number(value text) returns numeric language sql immutable parallel safe as $$
  select case when char_length(value) <= 100
    and value ~ '^[ \t\n]*[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?[ \t\n]*$' then value::numeric end
$$;

-- In UTC, which a value without an offset is in as well.
create function property_instant(value text) returns timestamp language plpgsql immutable parallel safe as $$
declare
  part text[];
  day date;
begin
  if char_length(value) > 100 then return null; end if;
  part := regexp_match(value, '^[ \t\n]*([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?:[Tt ]([01][0-9]|2[0-3]):([0-5][0-9])(?::((?:[0-5][0-9]|60)(?:[.][0-9]{1,9})?))?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))?)?[ \t\n]*$');
  if part is null or part[1] = '0000' then return null; end if;
  day := make_date(part[1]::integer, part[2]::integer, 1) + (part[3]::integer - 1);
  -- The month has no such day.
  if extract(month from day) <> part[2]::integer then return null; end if;
  return day + make_interval(hours => coalesce(part[4]::integer, 0), mins => coalesce(part[5]::integer, 0),
      -- A leap second is the last instant of its minute, as a clock without them has it.
      secs => least(coalesce(part[6]::double precision, 0), 59.999999))
    - case when part[7] = '-' then -1 else 1 end
      * make_interval(hours => coalesce(part[8]::integer, 0), mins => coalesce(part[9]::integer, 0));
end $$;

create function property_boolean(value text) returns boolean language sql immutable parallel safe as $$
  select case when char_length(value) > 100 then null
    else case lower(btrim(value, e' \t\n'))
      when 'true' then true when 'yes' then true when 'on' then true when '1' then true
      when 'false' then false when 'no' then false when 'off' then false when '0' then false end end
$$;

create table property_values (
  node_id text not null references nodes (id) on delete cascade,
  fid text not null references property_fields (fid) on delete cascade,
  value text not null constraint property_values_value_some check (value <> '') check (char_length(value) <= 10000),
  -- What it is as a value of each type; null where it does not fit, so that nodes are sorted as if they had
  -- none. So much of a text is compared with others: an entry of an index has room for it in any script.
  as_text text collate "C" generated always as (left(value, 255)) stored,
  as_number numeric generated always as (property_number(value)) stored,
  as_instant timestamp generated always as (property_instant(value)) stored,
  as_boolean boolean generated always as (property_boolean(value)) stored,
  -- What is searched of a value, as 'valueForms' makes it; pieces as those of `search_texts`.
  search text not null,
  pieces tsvector,
  primary key (node_id, fid)
);

-- Everything that sorting needs of the values of a field is in an index.
create index property_values_texts on property_values (fid, as_text, node_id);
create index property_values_numbers on property_values (fid, as_number, node_id) where as_number is not null;
create index property_values_instants on property_values (fid, as_instant, node_id)
  where as_instant is not null;
create index property_values_booleans on property_values (fid, as_boolean, node_id)
  where as_boolean is not null;
create index property_values_pieces on property_values using gin (pieces) where pieces is not null;

create function property_values_show() returns trigger language plpgsql as $$
declare
  -- The plan for an array is right for thousands of nodes, too; one for `changed` is kept from the first,
  -- small one.
  touched constant text[] := array(select distinct node_id from changed);
begin
  if touched <> '{}' then
    update nodes n set version = version + 1,
        value_bytes = (select coalesce(sum(octet_length(value)), 0)::int from property_values where node_id = n.id)
      where id = any(touched);
  end if;
  return null;
end $$;
create trigger property_values_show_insert after insert on property_values referencing new table as changed
  for each statement execute function property_values_show();
create trigger property_values_show_update after update on property_values referencing new table as changed
  for each statement execute function property_values_show();
create trigger property_values_show_delete after delete on property_values referencing old table as changed
  for each statement execute function property_values_show();

-- A line for each value of a node's properties, after those of 'nodeTextForm'.
create function searched_values(node text) returns text language sql stable as $$
  select coalesce(string_agg(e'\n' || search, '' order by search), '') from property_values where node_id = node
$$;

-- The names of the triggers come after those that raise the version of the node: a node is locked before what
-- is searched of it, as by all who write one.
create function property_values_text() returns trigger language plpgsql as $$
begin
  update search_texts s set body = c.body from (
      select id, split_part(t.body, e'\n', 1) || e'\n' || split_part(t.body, e'\n', 2)
        || searched_values(t.id) as body
      from search_texts t where id in (select node_id from changed)
    ) c where s.id = c.id and s.body <> c.body;
  return null;
end $$;
create trigger property_values_text_insert after insert on property_values
  referencing new table as changed
  for each statement execute function property_values_text();
create trigger property_values_text_update after update on property_values
  referencing new table as changed
  for each statement execute function property_values_text();
create trigger property_values_text_delete after delete on property_values
  referencing old table as changed
  for each statement execute function property_values_text();
