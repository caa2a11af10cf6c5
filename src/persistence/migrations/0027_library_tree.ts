import { migration } from "../shared/migration.ts"

// As in the rules of the library. Numbers in the database change by a migration only.
const levels = 64

// Two-part keys of advisory locks, whose first part no other program on the same database is likely to use.
const treeLock = 731_620_003
const slugLock = 731_620_005

const refused = (constraint: string) =>
  `raise exception 'A page cannot be there: ${constraint}'
    using errcode = 'check_violation', constraint = '${constraint}', table = 'nodes'`

/** The pages that contain what has this parent, from the inside; one more than there may be, where there are too many. */
const above = (parent: string) => `(
    with recursive chain as (
      select ${parent} as id, 1 as distance
      union all
      select (select parent_id from nodes where id = c.id), c.distance + 1 from chain c
        where c.id is not null and c.distance <= ${levels}
    )
    select array_agg(id order by distance) from chain where id is not null
  )`

/** Lets the pages in \`containing\` have as many levels below as that of \`below\` levels needs. */
const raise = `insert into node_heights as h (node_id, height)
  select a.id, a.distance + below from unnest(containing) with ordinality a (id, distance)
    where coalesce((select height from node_heights where node_id = a.id), 1) < a.distance + below
    order by a.distance
  on conflict (node_id) do update set height = excluded.height where h.height < excluded.height`

const places = [
  // All siblings may get new places in one statement, in which two have the same one for a moment.
  `drop index nodes_siblings`,
  `alter table nodes add constraint nodes_siblings unique nulls not distinct (parent_id, position)
    deferrable initially immediate`
]

const locks = [
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
]

const heights = [
  `drop trigger nodes_tree_insert on nodes`,
  `drop trigger nodes_tree_update on nodes`,
  `drop function check_library_tree()`,
  // At least as many levels as a page has with those below it; without a row, it has one. Kept so that a page moves
  // without a look at what it contains. Never lowered: where it is too high to let a page move, the levels are counted.
  `create table node_heights (
    node_id text primary key references nodes (id) on delete cascade,
    height smallint not null check (height between 2 and ${levels})
  )`,
  // By the index only, as its plan may be kept from when the table was small, and one statement may add thousands.
  `create function check_added_node() returns trigger language plpgsql set enable_seqscan = off as $$
    declare
      containing text[];
      below constant integer := 1;
    begin
      -- A statement sees what others have committed once it has the lock; what it finds then stays until it commits.
      perform hold_library_tree();
      containing := ${above("new.parent_id")};
      if cardinality(containing) >= ${levels} then ${refused("nodes_levels")}; end if;
      ${raise};
      return null;
    end $$`,
  `create trigger nodes_tree_insert after insert on nodes
    for each row when (new.parent_id is not null) execute function check_added_node()`,
  // Once for all pages of a statement, as one that contained thousands may have been deleted.
  // Without nested loops, as its plans are kept from small statements, and others change thousands of pages; what it
  // reads of other pages is found by ids in arrays, through indexes.
  `create function check_moved_nodes() returns trigger language plpgsql
    set enable_nestloop = off set enable_seqscan = off as $$
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
        containing := ${above("target")};
        if containing && moved then ${refused("nodes_circle")}; end if;
        select coalesce(max(height), 1) into below from node_heights where node_id = any(moved);
        if cardinality(containing) + below > ${levels} then
          below := 0;
          lowest := moved;
          while lowest is not null and cardinality(containing) + below <= ${levels} loop
            below := below + 1;
            select array_agg(id) into lowest from nodes where parent_id = any(lowest);
          end loop;
        end if;
        if cardinality(containing) + below > ${levels} then ${refused("nodes_levels")}; end if;
        ${raise};
      end loop;
      return null;
    end $$`,
  `create trigger nodes_tree_update after update on nodes
    referencing old table as node_before new table as node_after
    for each statement execute function check_moved_nodes()`
]

export default migration([...places, ...locks, ...heights])
