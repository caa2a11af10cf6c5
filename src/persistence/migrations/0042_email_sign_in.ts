import { migration } from "../shared/migration.ts"

// As in the rules of codes. Numbers in the database change by a migration only.
const attemptsMax = 5

export default migration([
  // The code that was sent to an address last.
  `create table email_codes (
    email_id text primary key references account_emails (id) on delete cascade,
    code_hash bytea not null check (octet_length(code_hash) = 32),
    attempts smallint not null check (attempts between 0 and ${attemptsMax}),
    expires_at timestamptz not null
  )`,
  `create index email_codes_expires_at on email_codes (expires_at)`,

  // Tokens that set a password: one for each address that one was mailed to, and one that staff were given.
  `create table password_resets (
    token_hash bytea primary key check (octet_length(token_hash) = 32),
    account_id text not null references accounts (id) on delete cascade,
    email_id text references account_emails (id) on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    constraint password_resets_one unique nulls not distinct (account_id, email_id)
  )`,
  `create index password_resets_email_id on password_resets (email_id) where email_id is not null`,
  `create index password_resets_expires_at on password_resets (expires_at)`,

  // However a password is changed, tokens for the one before end.
  `create function end_password_resets() returns trigger language plpgsql as $$
    begin
      delete from password_resets where account_id = old.account_id;
      return null;
    end $$`,
  `create trigger passwords_end_resets after update of hash or delete on passwords
    for each row execute function end_password_resets()`
])
