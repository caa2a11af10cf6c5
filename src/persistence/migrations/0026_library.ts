import { migration } from "../shared/migration.ts"

// As in the rules of the library. Numbers in the database change by a migration only.
const limits = { levels: 64, fields: 100 }

// Two-part keys of advisory locks, whose first part no other program on the same database is likely to use.
const treeLock = 731_620_003
const groupLock = 731_620_004

const pages = [
  `create table nodes (
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
    -- The applied version that the page is; null once it has been changed otherwise.
    current_version_id text,
    version bigint not null default 0
  )`,
  // The order of siblings is total: no two have the same place.
  `create unique index nodes_siblings on nodes (parent_id, position) nulls not distinct`,
  `create index nodes_owner on nodes (owner_id, visibility, id)`,
  `create index nodes_link_id on nodes (link_id, id) where link_id is not null`,
  `create index nodes_primary_image_id on nodes (primary_image_id) where primary_image_id is not null`,
  `create trigger nodes_version before update on nodes
    for each row when (old.* is distinct from new.*) execute function bump_version()`,

  `create table node_assets (
    node_id text not null references nodes (id) on delete cascade,
    asset_id text not null references assets (id) on delete cascade,
    added_at timestamptz not null,
    primary key (node_id, asset_id)
  )`,
  `create index node_assets_asset_id on node_assets (asset_id)`,

  `create table node_tags (
    node_id text not null references nodes (id) on delete cascade,
    tag_id text not null references tags (id) on delete cascade,
    primary key (node_id, tag_id)
  )`,
  `create index node_tags_tag_id on node_tags (tag_id, node_id)`
]

const properties = [
  // The columns that all children of one page share, or all pages of the top level, whose parent is null.
  `create table property_fields (
    fid text primary key,
    parent_id text references nodes (id) on delete cascade,
    name text not null check (char_length(name) between 1 and 255),
    type text not null check (type in ('text', 'number', 'timestamp', 'boolean')),
    sort text collate "C" not null check (char_length(sort) <= 255),
    -- Raised by any change, and never the same for two fields: what validators are made of.
    version bigint not null,
    constraint property_fields_name unique nulls not distinct (parent_id, name)
  )`,
  `create sequence property_field_versions`,
  `create function stamp_property_field() returns trigger language plpgsql as $$
    begin
      new.version := nextval('property_field_versions');
      return new;
    end $$`,
  `create trigger property_fields_version before insert or update on property_fields
    for each row execute function stamp_property_field()`,
  // Writers of a group hold its lock, so that each sees what the others have added.
  `create function check_property_fields() returns trigger language plpgsql as $$
    begin
      if exists (select from property_fields f where exists (
          select from changed c where c.parent_id is not distinct from f.parent_id)
          group by parent_id having count(*) > ${limits.fields}) then
        raise exception 'A group of pages has too many fields'
          using errcode = 'check_violation', constraint = 'property_fields_number', table = 'property_fields';
      end if;
      return null;
    end $$`,
  `create trigger property_fields_number after insert on property_fields
    referencing new table as changed for each statement execute function check_property_fields()`,

  `create table property_values (
    node_id text not null references nodes (id) on delete cascade,
    fid text not null references property_fields (fid) on delete cascade,
    value text not null check (char_length(value) <= 10000),
    primary key (node_id, fid)
  )`,
  `create index property_values_fid on property_values (fid)`
]

const versions = [
  `create table node_versions (
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
    meta jsonb not null
  )`,
  `create unique index node_versions_draft on node_versions (node_id) where status = 'draft'`,
  `create index node_versions_newest on node_versions (node_id, updated_at desc, id desc)`,
  `create index node_versions_drafts on node_versions (updated_at desc, id desc) where status = 'draft'`,
  `create index node_versions_author on node_versions (author_id, status, updated_at desc, id desc)`,
  `alter table nodes add constraint nodes_current_version_id foreign key (current_version_id)
    references node_versions (id) on delete set null deferrable initially deferred`,
  `create index nodes_current_version_id on nodes (current_version_id) where current_version_id is not null`
]

/** Raises the version of pages when what they show of another table changes. */
const shown = (table: string) => {
  const bump = (event: string, tables: string, changed: string) => [
    `create function ${table}_show_${event}() returns trigger language plpgsql as $$
      begin
        update nodes set version = version + 1 where id in (select node_id from ${changed});
        return null;
      end $$`,
    `create trigger ${table}_show_${event} after ${event} on ${table} referencing ${tables}
      for each statement execute function ${table}_show_${event}()`
  ]
  return [
    ...bump("insert", "new table as changed", "changed"),
    ...bump("update", "new table as changed", "changed"),
    ...bump("delete", "old table as changed", "changed")
  ]
}

const refused = (constraint: string) =>
  `raise exception 'A page cannot be there: ${constraint}'
    using errcode = 'check_violation', constraint = '${constraint}', table = 'nodes'`

const tree = [
  // Held by every transaction that moves or deletes pages; those that add some share it.
  `create function lock_library_tree() returns void language sql volatile as $$
    select pg_advisory_xact_lock(${treeLock}, 0)
  $$`,
  // Held by every transaction that adds a page to a group of siblings or changes their fields.
  `create function enter_library_group(parent text) returns void language sql volatile as $$
    select pg_advisory_xact_lock_shared(${treeLock}, 0);
    select pg_advisory_xact_lock(${groupLock}, hashtext(coalesce(parent, '')))
  $$`,
  // A statement sees what others have committed once it has the lock; what it finds then stays until it commits.
  `create function check_library_tree() returns trigger language plpgsql as $$
    declare
      above integer;
      below integer;
    begin
      if tg_op = 'INSERT' then
        perform pg_advisory_xact_lock_shared(${treeLock}, 0);
      else
        perform lock_library_tree();
      end if;
      -- A circle has more levels than there may be.
      with recursive chain as (
        select new.parent_id as id, 1 as level where new.parent_id is not null
        union all
        select n.parent_id, c.level + 1 from chain c join nodes n on n.id = c.id
          where n.parent_id is not null and c.level <= ${limits.levels} and c.id <> new.id
      )
      select coalesce(max(level), 0) into above from chain;
      if exists (
        with recursive chain as (
          select new.parent_id as id, 1 as level where new.parent_id is not null
          union all
          select n.parent_id, c.level + 1 from chain c join nodes n on n.id = c.id
            where n.parent_id is not null and c.level <= ${limits.levels} and c.id <> new.id
        )
        select from chain where id = new.id
      ) then ${refused("nodes_circle")}; end if;
      if tg_op = 'INSERT' then
        below := 1;
      else
        with recursive subtree as (
          select new.id as id, 1 as level
          union all
          select n.id, s.level + 1 from subtree s join nodes n on n.parent_id = s.id
            where s.level <= ${limits.levels}
        )
        select max(level) into below from subtree;
      end if;
      if above + below > ${limits.levels} then ${refused("nodes_levels")}; end if;
      return null;
    end $$`,
  `create trigger nodes_tree_insert after insert on nodes
    for each row when (new.parent_id is not null) execute function check_library_tree()`,
  `create trigger nodes_tree_update after update of parent_id on nodes
    for each row when (new.parent_id is distinct from old.parent_id and new.parent_id is not null)
    execute function check_library_tree()`
]

export default migration([
  ...pages,
  ...properties,
  ...versions,
  ...["node_assets", "node_tags", "property_values"].flatMap(shown),
  ...tree
])
