import { migration } from "../shared/migration.ts"

// With the replies of a thread numbered, those after a moment are counted by
// looking up the first of them, however many they are.
export default migration([
  // Every reply the thread ever had; deleted ones keep their number.
  `alter table threads add column replies_made integer not null default 0`,
  // 0 for the post that opens a thread.
  `alter table posts add column ordinal integer not null default 0`,
  `update posts p set ordinal = numbered.ordinal
    from (select id, row_number() over (partition by thread_id order by created_at, id) as ordinal
      from posts where id <> thread_id) numbered
    where p.id = numbered.id`,
  `update threads t set replies_made = (select count(*) from posts where thread_id = t.id and id <> t.id)`,
  `create index posts_deleted_of_thread on posts (thread_id, ordinal)
    where deleted_at is not null and id <> thread_id`
])
