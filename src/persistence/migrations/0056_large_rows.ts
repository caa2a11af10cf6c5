import { migration } from "../shared/migration.ts"

// What finds rows that are large for the lists that show them.
export default migration([
  `alter table nodes
    -- Of what \`weight\` counts, the bytes of the metadata.
    add column meta_bytes integer not null generated always as (octet_length(meta::text)) stored`,
  // PostgreSQL takes no condition on whole rows for a table with generated columns: the trigger is older than the
  // column, and a dump of it could not be restored. A migration that adds a column makes the trigger anew.
  `drop trigger nodes_version on nodes`,
  `do $$
    declare
      given text := (select string_agg('%1$s.' || quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = 'nodes'::regclass and attnum > 0 and not attisdropped and attgenerated = '');
    begin
      execute format('create trigger nodes_version before update on nodes for each row
        when ((%s) is distinct from (%s)) execute function bump_version()', format(given, 'old'), format(given, 'new'));
    end $$`,
  // The largest children of a page.
  `create index nodes_largest on nodes
    (parent_id, (weight + field_bytes + octet_length(description)) desc) where parent_id is not null`,
  // Threads that take more than a fiftieth of the 2 MiB of a list, in the order of lists.
  `create index threads_large on threads (pinned desc, active_at desc, id desc)
    where opening_weight + 200 * cardinality(tag_ids) > 41943 and deleted_at is null`
])
