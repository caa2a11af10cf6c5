import { migration } from "../shared/migration.ts"

// What takes more than a fiftieth of the 2 MiB of a list, for the lists that show it.
export default migration([
  `alter table calendar_events
    -- About how many bytes of an answer the long parts of an event take.
    add column weight integer not null
      generated always as (octet_length(meta::text) + octet_length(description)) stored`,
  `create index calendar_events_large on calendar_events (starts_at, id)
    where weight > 41943 and deleted_at is null`,
  `create index accounts_large on accounts (id) where profile_weight > 41943`,
  `create index node_versions_large on node_versions (node_id) where weight > 41943`,
  `create index node_versions_large_drafts on node_versions (author_id)
    where weight > 41943 and status = 'draft'`
])
