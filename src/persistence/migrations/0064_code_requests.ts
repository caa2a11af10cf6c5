import { migration } from "../shared/migration.ts"

// As in the rules of codes and mails. Numbers in the database change by a migration only.
const guessesMax = 40
const mailsMax = 20

export default migration([
  // Codes are made of this key and what is stored of them, so that one can be sent again. All instances have it.
  `create table email_code_key (
    only_one boolean primary key default true check (only_one),
    key bytea not null check (octet_length(key) = 32)
  )`,
  `insert into email_code_key (key)
    select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))`,

  // Those that were sent are made of nothing. They would be valid for an hour.
  `drop table email_codes`,
  `create table email_codes (
    email_id text primary key references account_emails (id) on delete cascade,
    nonce bytea not null check (octet_length(nonce) = 16),
    expires_at timestamptz not null,
    -- The network that alone has asked for it; null if others have, too.
    asked_by text,
    -- Where wrong ones came from: one entry for each of them.
    guesses text[] not null default '{}' check (cardinality(guesses) <= ${guessesMax}),
    -- When strangers sent the first of those wrong ones back that count, at this code or one before.
    strangers_since timestamptz
  )`,
  `create index email_codes_expires_at on email_codes (expires_at)`,

  // Who asked for each of the mails, beside when: strangers, or a network that the account knows.
  `alter table email_recipients drop constraint email_recipients_queued_check`,
  `alter table email_recipients add column askers text[]`,
  `update email_recipients set askers = array_fill('strangers'::text, array[cardinality(queued)])`,
  `alter table email_recipients alter column askers set not null,
    add constraint email_recipients_number
      check (cardinality(queued) <= ${mailsMax} and cardinality(askers) = cardinality(queued))`,

  // A token for each network that asked for one, so that nobody ends those of others.
  `alter table password_resets add column asked_by text,
    drop constraint password_resets_one,
    add constraint password_resets_one unique nulls not distinct (account_id, email_id, asked_by)`
])
