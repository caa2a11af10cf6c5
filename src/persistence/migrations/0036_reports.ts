import { migration } from "../shared/migration.ts"

// As in the rules of reports. Numbers in the database change by a migration only.
const openMax = 1000

// A two-part key of advisory locks, whose first part no other program on the same database is likely to use.
const reporterLock = 731_620_006

export default migration([
  `create table reports (
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
    cause_id bigint unique
  )`,
  `create index reports_newest on reports (updated_at desc, id desc) include (status, target_kind)`,
  `create index reports_by_status on reports (status, updated_at desc, id desc) include (target_kind)`,
  `create index reports_of_reporter on reports (reported_by, updated_at desc, id desc) include (status, target_kind)`,
  `create index reports_handled_by on reports (handled_by) where handled_by is not null`,
  `create function check_open_reports() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(${reporterLock}, hashtext(new.reported_by));
      if (select count(*) from reports where reported_by = new.reported_by and status <> 'resolved') >= ${openMax} then
        raise exception 'An account has too many open reports'
          using errcode = 'check_violation', constraint = 'reports_open', table = 'reports';
      end if;
      return new;
    end $$`,
  `create trigger reports_open before insert on reports
    for each row when (new.reported_by is not null) execute function check_open_reports()`
])
