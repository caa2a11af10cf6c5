create table notifications (
  id text primary key,
  created_at timestamptz not null,
  account_id text not null references accounts (id) on delete cascade,
  event text not null,
  status text not null default 'unread' check (status in ('unread', 'read')),
  source_id text references accounts (id) on delete set null,
  item_kind text constraint notifications_item_kind check (item_kind in ('post', 'node', 'profile')),
  item_id text,
  -- The event that caused it, which may be deleted since: the ids of events never repeat. To notify anyone
  -- twice of the same thing is refused here.
  cause_id bigint not null,
  -- What is about a reply and shows its thread is seen only as long as that reply may be read.
  reply_id text,
  unique (cause_id, account_id, event),
  check ((item_kind is null) = (item_id is null)),
  check (reply_id is null or item_id is not null),
  -- To allow another value, a later migration drops the constraint and adds it
  -- again with the longer list, `not valid` at first and then validated, so that
  -- the table is not locked while its rows are checked.
  constraint notifications_event check (event in (
    'thread_reply',
    'reply_to_reply',
    'post_like',
    'follow',
    'profile_mention',
    'event_host_added',
    'member_attending_event',
    'member_declined_event',
    'attendee_removed',
    'report_submitted',
    'report_updated',
    'warning_issued',
    'node_version_created',
    'node_version_applied',
    'node_version_deleted',
    'trail_run_attention',
    'webhook_disabled',
    'account_erasure_requested',
    'account_export_ready'
  ))
);

create index notifications_source_id on notifications (source_id) where source_id is not null;
-- With what decides whether a notification is seen, so that counting reads no other.
create index notifications_newest on notifications (account_id, created_at desc, id desc)
  include (status, item_id, reply_id);
create index notifications_counted on notifications (account_id) include (item_id, reply_id)
  where status = 'unread';
-- Whoever takes a like back and likes again has been told of already.
create unique index notifications_post_like on notifications (item_id, account_id, source_id)
  where event = 'post_like';
-- Who follows, unfollows and follows again is not told of again while the first time can be read.
create unique index notifications_follows on notifications (account_id, source_id) where event = 'follow';

-- How many notifications an account has got since its oldest were deleted: to find which these are, all that
-- are kept are passed over, so that it is not done for each new one.
create table notification_receivers (
  account_id text primary key references accounts (id) on delete cascade,
  received integer not null check (received >= 0)
) with (fillfactor = 50);
