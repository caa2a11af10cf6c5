import { migration } from "../shared/migration.ts"

export default migration([
  // Whether those whom a reply concerns have been told of it, so that they are told once. One that is held is told
  // when others can first read it.
  `alter table posts add column told boolean not null default true`,
  // Of replies that are hidden now: nobody was told of those that were never published.
  `update posts p set told = false
    where ordinal > 0 and deleted_at is null and visibility <> 'published'
      and id not in (select event->>'reply_id' from event_log where tag = 'ThreadReplyCreated')
      and id not in (select reply_id from notifications where reply_id is not null)
      and id not in (select item_id from notifications where event = 'reply_to_reply')`
])
