-- Mails that are to be sent, or have been. What waits has a time at which it is due.
create table email_queue (
  id text primary key,
  queued_at timestamptz not null,
  updated_at timestamptz not null,
  processed_at timestamptz,
  status text not null default 'pending' check (status in ('pending', 'processing', 'sent', 'failed')),
  recipient_address text not null check (
    char_length(recipient_address) between 3 and 254
    and recipient_address ~ '^[^[:cntrl:]<>]+@[^[:cntrl:][:space:]<>@]+$'),
  recipient_name text not null check (char_length(recipient_name) <= 64),
  subject text not null check (char_length(subject) between 1 and 200),
  -- They contain codes and tokens, so they are erased once the mail is sent.
  text_body text check (octet_length(text_body) <= 65536),
  html_body text check (octet_length(html_body) <= 262144),
  due_at timestamptz,
  -- Those without anybody asking for them; and all.
  tries integer not null default 0 check (tries >= 0),
  attempts integer not null default 0 check (attempts >= 0),
  constraint email_queue_sent check (
    (processed_at is not null) = (status = 'sent') and (text_body is null) = (status = 'sent')
    and (html_body is null) = (status = 'sent')),
  constraint email_queue_due check (
    case status when 'sent' then due_at is null when 'failed' then true else due_at is not null end)
);

create index email_queue_newest on email_queue (queued_at desc, id desc);
create index email_queue_by_status on email_queue (status, queued_at desc, id desc);
create index email_queue_due on email_queue (due_at, id) where due_at is not null;
create index email_queue_recipient on email_queue using gin (recipient_address gin_trgm_ops);

-- How many mails there are, for the list. Several rows of each status, and each connection has its own, so
-- that writers rarely wait.
create table email_totals (
  status text not null,
  shard smallint not null,
  emails integer not null,
  primary key (status, shard)
);

create function count_emails() returns trigger language plpgsql as $$
begin
  insert into email_totals as known (status, shard, emails)
    select status, pg_backend_pid() % 16, sum(change)::int from (
      select case when tg_op <> 'INSERT' then old.status end, -1
      union all select case when tg_op <> 'DELETE' then new.status end, 1
    ) changed (status, change) where status is not null group by status having sum(change) <> 0 order by status
    on conflict (status, shard) do update set emails = known.emails + excluded.emails;
  return null;
end $$;
-- Deferred, so that a transaction takes the rows that others may wait for when it has taken all others.
create constraint trigger email_queue_count after insert or update of status or delete on email_queue
  deferrable initially deferred for each row execute function count_emails();

create table email_attempts (
  email_id text not null references email_queue (id) on delete cascade,
  number integer not null,
  ended_at timestamptz not null,
  status text not null check (status in ('sent', 'failed')),
  error text check (char_length(error) between 1 and 500),
  primary key (email_id, number),
  check ((status = 'failed') = (error is not null))
);

-- When each of the mails was queued that count for the limit of an address.
create table email_recipients (
  address text primary key,
  queued timestamptz[] not null,
  last_queued_at timestamptz not null,
  -- Who asked for each of the mails, beside when: strangers, or a network that the account knows.
  clients text[] not null,
  constraint email_recipients_number
    check (cardinality(queued) <= 20 and cardinality(clients) = cardinality(queued))
);

create index email_recipients_last on email_recipients (last_queued_at);
