import { migration } from "../shared/migration.ts"

export default migration([
  // What failed inside the service follows from no event.
  `alter table audit_events alter column cause_id drop not null`,
  `alter table audit_events add constraint audit_events_cause check ((cause_id is null) = (type = 'internal_error'))`,

  // The entry that a cause has in an hour, and how often it happened then: the entry itself never changes. Both are
  // written by one statement, and entries are never deleted.
  `create table internal_errors (
    hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
    cause text not null check (octet_length(cause) <= 2400),
    audit_event_id text not null unique,
    occurrences bigint not null check (occurrences > 0),
    last_at timestamptz not null,
    primary key (hour, cause)
  )`,

  // Like the audit log, what was recorded stays; it is only counted further.
  `create function keep_internal_errors() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and (new.hour, new.cause, new.audit_event_id) = (old.hour, old.cause, old.audit_event_id)
        and new.occurrences > old.occurrences and new.last_at >= old.last_at then
        return new;
      end if;
      raise exception 'Internal errors are only ever added and counted' using errcode = 'integrity_constraint_violation';
    end $$`,
  `create trigger internal_errors_keep before update or delete on internal_errors
    for each row execute function keep_internal_errors()`,
  `create trigger internal_errors_keep_all before truncate on internal_errors
    for each statement execute function keep_all_audit_events()`,

  // PostgreSQL takes no condition on whole rows for a table with generated columns: the trigger is older than the
  // column, and a dump of it could not be restored. A migration that adds a column makes the trigger anew.
  `drop trigger categories_version on categories`,
  `do $$
    declare
      given text := (select string_agg('%1$s.' || quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = 'categories'::regclass and attnum > 0 and not attisdropped and attgenerated = '');
    begin
      execute format('create trigger categories_version before update on categories for each row
        when ((%s) is distinct from (%s)) execute function bump_version()', format(given, 'old'), format(given, 'new'));
    end $$`
])
