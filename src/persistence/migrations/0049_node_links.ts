import { migration } from "../shared/migration.ts"

export default migration([
  // What the content of a page links to, in its order.
  `create table node_links (
    node_id text not null references nodes (id) on delete cascade,
    link_id text not null references links (id) on delete cascade,
    position integer not null,
    primary key (node_id, link_id)
  )`,
  `create index node_links_link_id on node_links (link_id)`,
  // The addresses in the content of a version; null if the content is the page's own.
  `alter table node_versions add column links text[]`
])
