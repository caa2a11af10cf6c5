import { migration } from "../shared/migration.ts"

export default migration([
  `create table notifications (
    id text primary key,
    created_at timestamptz not null,
    account_id text not null references accounts (id) on delete cascade,
    event text not null,
    status text not null default 'unread' check (status in ('unread', 'read')),
    source_id text references accounts (id) on delete set null,
    item_kind text,
    item_id text,
    -- What caused it. DueNotification anyone twice of the same thing is refused here.
    cause_id bigint not null references event_log (id),
    unique (cause_id, account_id, event),
    check ((item_kind is null) = (item_id is null))
  )`,
  `create index notifications_of_account on notifications (account_id, created_at desc, id desc)`,
  `create index notifications_unread on notifications (account_id) where status = 'unread'`,
  `create index notifications_source_id on notifications (source_id) where source_id is not null`,

  `create table audit_events (
    id text primary key,
    occurred_at timestamptz not null,
    type text not null,
    enacted_by text references accounts (id) on delete set null,
    subject jsonb not null,
    cause_id bigint not null unique references event_log (id)
  )`,
  `create index audit_events_newest on audit_events (occurred_at desc, id desc)`,
  `create index audit_events_enacted_by on audit_events (enacted_by) where enacted_by is not null`
])
