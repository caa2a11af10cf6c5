import { migration } from "../shared/migration.ts"

export default migration([
  // What is about a reply and shows its thread is seen only as long as that reply may be read.
  `alter table notifications add column reply_id text check (reply_id is null or item_id is not null)`,
  // Of replies whose events have been deleted since, it is not known any more which they were.
  `update notifications n set reply_id = e.event->>'reply_id' from event_log e
    where e.id = n.cause_id and e.tag = 'ThreadReplyCreated' and n.event = 'thread_reply'`,

  // With what decides whether a notification is seen, so that counting reads no other.
  `create index notifications_newest on notifications (account_id, created_at desc, id desc)
    include (status, item_id, reply_id)`,
  `drop index notifications_of_account`,
  `create index notifications_counted on notifications (account_id) include (item_id, reply_id)
    where status = 'unread'`,
  `drop index notifications_unread`,

  // Whom posts mention; anyone can be named, so that \`account_id\` refers to an account only when it is written.
  // A row that was told stays when the mention is removed.
  `create table post_mentions (
    post_id text not null references posts (id) on delete cascade,
    thread_id text not null,
    account_id text not null,
    told boolean not null,
    primary key (post_id, account_id)
  )`,
  `create index post_mentions_untold on post_mentions (thread_id) where not told`,
  // What others can read already is not told later. Mentions in new threads were told at once, even in drafts.
  `insert into post_mentions (post_id, thread_id, account_id, told)
    select distinct p.id, p.thread_id, a.id, p.visibility = 'published' or exists (
      select from notifications n
      where n.account_id = a.id and n.item_id = p.id and n.event = 'profile_mention')
    from posts p
    cross join lateral regexp_matches(p.body, '(?:href|src)="sdr:profile/([0-9a-v]{20})"', 'g') found
    join accounts a on a.id = found[1] and a.id <> p.author_id
    where p.deleted_at is null and p.body like '%sdr:profile/%'`
])
