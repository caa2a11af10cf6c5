import { migration } from "../shared/migration.ts"

// Two-part keys of advisory locks, whose first part no other program on the same database is likely to use.
const treeLock = 731_620_003
const slugLock = 731_620_005

export default migration([
  // All siblings may get new places in one statement, so that two have the same one meanwhile.
  `drop index nodes_siblings`,
  `alter table nodes add constraint nodes_siblings unique nulls not distinct (parent_id, position)
    deferrable initially immediate`,

  // Held by every transaction for which no page may move.
  `create function hold_library_tree() returns void language sql volatile as $$
    select pg_advisory_xact_lock_shared(${treeLock}, 0)
  $$`,
  // Whether a page may be given a slug, as far as other running transactions are concerned: none gives it or takes it
  // from a page. Nobody waits for one that does, so that those who exchange slugs do not wait for each other.
  `create function take_node_slug(node text, wanted text) returns boolean language sql volatile as $$
    select coalesce(bool_and(pg_try_advisory_xact_lock(${slugLock}, hashtext(slug))), true) from (
      select wanted as slug where not exists (select from nodes where id = node and slug = wanted)
      union
      select slug from nodes where id = node and slug <> wanted
    ) touched
  $$`
])
