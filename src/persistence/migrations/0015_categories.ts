import { migration } from "../shared/migration.ts"

// As in the rules of categories. Numbers in the database change by a migration only.
const limits = { categories: 2000, levels: 8, bytes: 1024 * 1024 }

// Two-part keys of advisory locks, whose first part no other program on the same database is likely to use.
const treeLock = 731_620_001
const entranceLock = 731_620_002

const refused = (constraint: string) =>
  `raise exception 'The categories exceed a limit: ${constraint}'
    using errcode = 'check_violation', constraint = '${constraint}', table = 'categories'`

export default migration([
  // How many bytes a category adds to the list of all.
  `alter table categories add column bytes integer not null generated always as (
    octet_length(name) + octet_length(slug) + octet_length(description) + octet_length(colour)
      + octet_length(meta::text)) stored`,

  // The foreign key is looked at when a category is deleted.
  `create index threads_category_id on threads (category_id) where category_id is not null`,

  // Held by every transaction that changes which categories there are and which contains which.
  `create function lock_category_tree() returns void language sql volatile as $$
    select pg_advisory_xact_lock(${treeLock}, 0)
  $$`,
  // Threads enter a category through an entrance, which is closed before it is deleted. A lock of its row could
  // not do that: writers that have locked a thread count it on the row later.
  `create function enter_category(category text) returns void language sql volatile as $$
    select pg_advisory_xact_lock_shared(${entranceLock}, hashtext(category))
  $$`,
  `create function close_category(category text) returns void language sql volatile as $$
    select pg_advisory_xact_lock(${entranceLock}, hashtext(category))
  $$`,

  // Where there were circles or more levels than there may be, categories come out of those that contain them.
  `with recursive tree as (
      select id, 1 as level from categories where parent_id is null
      union all
      select c.id, t.level + 1 from categories c join tree t on c.parent_id = t.id
    )
    update categories c set parent_id = null
      where parent_id is not null and not exists (
        select from tree t where t.id = c.id and t.level % ${limits.levels} <> 1)`,

  // A statement sees what others have committed once it has the lock; what it finds then stays until it commits.
  `create function check_category_tree() returns trigger language plpgsql as $$
    begin
      perform lock_category_tree();
      if (select count(*) from categories) > ${limits.categories} then ${refused("categories_number")}; end if;
      if (select sum(bytes) from categories) > ${limits.bytes} then ${refused("categories_bytes")}; end if;
      -- What is not reached from above in so many steps is in a circle, or too deep.
      if (
        with recursive tree as (
          select id, 1 as level from categories where parent_id is null
          union all
          select c.id, t.level + 1 from categories c join tree t on c.parent_id = t.id
            where t.level < ${limits.levels}
        )
        select count(*) from tree
      ) <> (select count(*) from categories) then ${refused("categories_levels")}; end if;
      return null;
    end $$`,
  `create trigger categories_tree after insert or update of parent_id, name, slug, description, colour, meta
    on categories for each statement execute function check_category_tree()`
])
