import { Effect } from "effect"
import { migration } from "../shared/migration.ts"

// Lists that do not set pinned threads apart, of a category or of an author, are read in their order.
const orders = migration([
  // It has deleted threads, too, so that the foreign key needs no index of its own: each costs every reply time.
  `create index threads_of_category_by_activity on threads
    (category_id, (deleted_at is null), active_at desc, id desc) include (visibility, author_id, deleted_at)`,
  `drop index threads_category_id`,
  `create index threads_of_author_by_activity on threads (author_id, active_at desc, id desc)
    include (visibility, category_id) where deleted_at is null`,
  // Staff see what waits for review in a category, among all that is not published.
  `drop index threads_unpublished`,
  `create index threads_unpublished on threads (author_id, visibility) include (category_id)
    where deleted_at is null and visibility <> 'published'`,

  // What is published about a link is found without what is not, of which there may be any number.
  `drop index threads_link_id`,
  `create index threads_link_id on threads (link_id, visibility, id) where link_id is not null`,
  `drop index nodes_link_id`,
  `create index nodes_link_id on nodes (link_id, visibility, id) where link_id is not null`
])

const shown = ["handle", "name", "signature", "admin", "suspended_at"]
const rowOf = (name: string) => `(${shown.map((column) => `${name}.${column}`).join(", ")})`

// Only a change of what answers show of people makes them other answers: who edits a profile sets every column.
const people = migration([
  `drop trigger accounts_stamp on accounts`,
  `create constraint trigger accounts_stamp after update of ${shown.join(", ")} on accounts
    deferrable initially deferred for each row
    when (${rowOf("old")} is distinct from ${rowOf("new")}) execute function bump_people_stamp()`
])

// How many published threads each author has in each category, or in none, as they may be very many.
export const totals = migration([
  `create table author_totals (
    author_id text not null references accounts (id),
    category_id text references categories (id),
    published integer not null check (published >= 0),
    unique nulls not distinct (author_id, category_id)
  )`,
  `create index author_totals_category_id on author_totals (category_id) where category_id is not null`,
  `insert into author_totals (author_id, category_id, published)
    select author_id, category_id, count(*) from threads
    where visibility = 'published' and deleted_at is null group by author_id, category_id`
])

export default Effect.all([orders, people, totals], { discard: true })
