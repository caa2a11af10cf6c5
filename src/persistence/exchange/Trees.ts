/** The rows of a tree with their levels, so that each can come after its parent. */
export const treeOf = (table: "categories" | "nodes"): string => `(
  with recursive tree as (
    select id, 1 as level from ${table} where parent_id is null
    union all
    select below.id, tree.level + 1 from ${table} below join tree on below.parent_id = tree.id
  )
  select id, level from tree)`
