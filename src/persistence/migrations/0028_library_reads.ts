import { migration } from "../shared/migration.ts"

/** What pages know of the rows of a table that belong to them, which need not be looked for then. */
const known = {
  node_tags: "tag_ids = array(select tag_id from node_tags where node_id = n.id order by tag_id)",
  node_assets: "asset_count = (select count(*)::int from node_assets where node_id = n.id)",
  property_values: `value_bytes = (
    select coalesce(sum(octet_length(value)), 0)::int from property_values where node_id = n.id)`
}

/** Keeps it when rows come, change or go. The version is raised whether it differs or not. */
const kept = Object.entries(known).flatMap(([table, column]) =>
  ["insert", "update", "delete"].map(
    (event) => `create or replace function ${table}_show_${event}() returns trigger language plpgsql as $$
      declare
        -- The plan for an array is right for thousands of pages, too; one for \`changed\` is kept from the first, small one.
        pages constant text[] := array(select distinct node_id from changed);
      begin
        if pages <> '{}' then
          update nodes n set version = version + 1, ${column} where id = any(pages);
        end if;
        return null;
      end $$`
  )
)

/** The same of the fields that the children of a page share; those of the top level have no page to be known of. */
const fieldBytes = `field_bytes = (select coalesce(sum(octet_length(name) + octet_length(sort) + 100), 0)::int
  from property_fields where parent_id = n.id)`

const fieldsKept = [
  `create function property_fields_show() returns trigger language plpgsql as $$
    begin
      update nodes n set version = version + 1, ${fieldBytes} where id in (select parent_id from changed);
      return null;
    end $$`,
  ...[
    ["insert", "new"],
    ["update", "new"],
    ["delete", "old"]
  ].map(
    ([event, rows]) => `create trigger property_fields_show_${event} after ${event} on property_fields
      referencing ${rows} table as changed for each statement execute function property_fields_show()`
  )
]

export default migration([
  `alter table nodes
    -- The name in the form in which texts are compared.
    add column name_form text not null default '',
    add column tag_ids text[] not null default '{}',
    add column asset_count integer not null default 0 check (asset_count >= 0),
    add column value_bytes integer not null default 0 check (value_bytes >= 0),
    add column field_bytes integer not null default 0 check (field_bytes >= 0),
    -- About how many bytes it takes in an answer, but for what every page has, and for the fields of properties.
    add column weight integer not null default 0`,
  `create function weigh_node() returns trigger language plpgsql as $$
    begin
      new.weight := coalesce(octet_length(to_json(new.content)::text), 0) + octet_length(new.meta::text)
        + 500 * new.asset_count + 200 * cardinality(new.tag_ids)
        + case when new.link_id is null then 0 else 5000 end + new.value_bytes;
      return new;
    end $$`,
  `create trigger nodes_weight before insert or update of content, meta, asset_count, tag_ids, link_id, value_bytes
    on nodes for each row execute function weigh_node()`,
  ...kept,
  ...fieldsKept,
  `update nodes n set ${[...Object.values(known), fieldBytes].join(", ")}`,

  // Siblings in their order, without those that the viewer does not see, of which there may be any number.
  `create index nodes_published on nodes (parent_id, position) where visibility = 'published'`,
  `create index nodes_in_review on nodes (parent_id, position) where visibility = 'review'`,
  `create index nodes_unpublished on nodes (parent_id, owner_id, position) where visibility <> 'published'`
])
