import { migration } from "../shared/migration.ts"

// Which tags a thread has is read with the thread. `thread_tags` finds threads by tag, and decides.
export default migration([
  `alter table threads add column tag_ids text[] not null default '{}'`,
  `create or replace function bump_thread_of_tags() returns trigger language plpgsql as $$
    begin
      update threads t
        set tag_ids = array(select tag_id from thread_tags where thread_id = t.id order by tag_id)
        where id in (select thread_id from changed);
      return null;
    end $$`,
  `update threads t set tag_ids = tagged.ids
    from (select thread_id, array_agg(tag_id order by tag_id) as ids from thread_tags group by thread_id) tagged
    where t.id = tagged.thread_id`
])
