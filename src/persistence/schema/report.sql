create table reports (
  id text primary key,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- What is reported need not exist.
  target_id text not null check (target_id ~ '^[0-9a-v]{20}$'),
  target_kind text not null
    check (target_kind in ('post', 'thread', 'reply', 'node', 'collection', 'profile', 'event')),
  -- Null if the service reported it, or if the account is gone.
  reported_by text references accounts (id) on delete set null,
  handled_by text references accounts (id) on delete set null,
  comment text check (char_length(comment) between 1 and 2000),
  status text not null default 'submitted' check (status in ('submitted', 'acknowledged', 'resolved')),
  -- The event in the log that the service reported it for.
  cause_id bigint unique,
  -- Whether one of the same account about the same thing was open when it was made.
  repeats boolean not null default false
);

create index reports_newest on reports (updated_at desc, id desc) include (status, target_kind);
create index reports_by_status on reports (status, updated_at desc, id desc) include (target_kind);
create index reports_of_reporter on reports (reported_by, updated_at desc, id desc) include (status, target_kind);
create index reports_handled_by on reports (handled_by) where handled_by is not null;
create index reports_open_of_reporter on reports (reported_by, target_id) where status <> 'resolved';

-- The ids of threads, replies and posts are those of posts, so that the kind makes no difference.
create function check_open_reports() returns trigger language plpgsql as $$
declare
  of_target bigint;
begin
  perform pg_advisory_xact_lock(731620006, hashtext(coalesce(new.reported_by, '')));
  if new.reported_by is null then
    select count(*) into of_target from reports
      where reported_by is null and target_id = new.target_id and status <> 'resolved';
  else
    select count(*) into of_target from reports
      where reported_by = new.reported_by and target_id = new.target_id and status <> 'resolved';
  end if;
  new.repeats := of_target > 0;
  if of_target >= 20 then
    -- The service has said it often enough.
    if new.reported_by is null then return null; end if;
    raise exception 'An account has too many open reports of one thing'
      using errcode = 'check_violation', constraint = 'reports_open_of_target', table = 'reports';
  end if;
  if new.reported_by is not null and
    (select count(*) from reports where reported_by = new.reported_by and status <> 'resolved') >= 1000 then
    raise exception 'An account has too many open reports'
      using errcode = 'check_violation', constraint = 'reports_open', table = 'reports';
  end if;
  return new;
end $$;
create trigger reports_open before insert on reports for each row execute function check_open_reports();
