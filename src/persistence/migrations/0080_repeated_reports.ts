import { migration } from "../shared/migration.ts"

// As in the rules of reports. Numbers in the database change by a migration only.
const openMax = 1000
const openOfTargetMax = 20

// As before.
const reporterLock = 731_620_006

export default migration([
  // Whether one of the same account about the same thing was open when it was made.
  `alter table reports add column repeats boolean not null default false`,
  `create index reports_open_of_reporter on reports (reported_by, target_id) where status <> 'resolved'`,
  // The ids of threads, replies and posts are those of posts, so that the kind makes no difference.
  `create or replace function check_open_reports() returns trigger language plpgsql as $$
    declare
      of_target bigint;
    begin
      perform pg_advisory_xact_lock(${reporterLock}, hashtext(coalesce(new.reported_by, '')));
      if new.reported_by is null then
        select count(*) into of_target from reports
          where reported_by is null and target_id = new.target_id and status <> 'resolved';
      else
        select count(*) into of_target from reports
          where reported_by = new.reported_by and target_id = new.target_id and status <> 'resolved';
      end if;
      new.repeats := of_target > 0;
      if of_target >= ${openOfTargetMax} then
        -- The service has said it often enough.
        if new.reported_by is null then return null; end if;
        raise exception 'An account has too many open reports of one thing'
          using errcode = 'check_violation', constraint = 'reports_open_of_target', table = 'reports';
      end if;
      if new.reported_by is not null and
        (select count(*) from reports where reported_by = new.reported_by and status <> 'resolved') >= ${openMax} then
        raise exception 'An account has too many open reports'
          using errcode = 'check_violation', constraint = 'reports_open', table = 'reports';
      end if;
      return new;
    end $$`,
  `drop trigger reports_open on reports`,
  `create trigger reports_open before insert on reports for each row execute function check_open_reports()`
])
