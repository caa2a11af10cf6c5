import { migration } from "../shared/migration.ts"

// As in the rules of sessions. Numbers in the database change by a migration only.
const sessionsMax = 100

// A two-part key of advisory locks, whose first part no other program on the same database is likely to use.
const sessionsLock = 731_620_053

export default migration([
  `delete from sessions where token_hash in (
    select token_hash from (
      select token_hash, row_number() over (partition by account_id order by created_at desc, token_hash) as place
        from sessions
    ) placed where place > ${sessionsMax})`,

  // For transactions that begin sessions of an account or end all of them: they wait for each other before they touch any.
  `create function lock_sessions(account text) returns void language sql as $$
    select pg_advisory_xact_lock(${sessionsLock}, hashtext(account))
  $$`,
  // The new one is never among those that end, even if the clock that it began by is behind.
  `create function end_oldest_sessions() returns trigger language plpgsql as $$
    begin
      perform lock_sessions(new.account_id);
      delete from sessions where token_hash in (
        select token_hash from sessions where account_id = new.account_id and token_hash <> new.token_hash
          order by created_at desc, token_hash offset tg_argv[0]::integer - 1);
      return null;
    end $$`,
  `create trigger sessions_number after insert on sessions
    for each row execute function end_oldest_sessions('${sessionsMax}')`
])
