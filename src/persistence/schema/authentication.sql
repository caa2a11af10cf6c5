create table passwords (
  account_id text primary key references accounts (id) on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  hash text not null
);

-- However a password is changed, tokens for the one before end.
create function end_password_resets() returns trigger language plpgsql as $$
begin
  delete from password_resets where account_id = old.account_id;
  return null;
end $$;
create trigger passwords_end_resets after update of hash or delete on passwords
  for each row execute function end_password_resets();

create trigger passwords_ways_to_sign_in after insert or delete on passwords
  for each row execute function note_ways_to_sign_in();

-- Wrong passwords since a moment, for each place they come from, and when a place had a right one last. Those
-- from networks that never had one are also counted together, as `strangers`.
create table password_attempts (
  account_id text not null references accounts (id) on delete cascade,
  source text not null check (source = 'strangers' or source ~ '^(network|session) '),
  failures integer not null check (failures >= 0),
  since timestamptz not null,
  signed_in_at timestamptz,
  primary key (account_id, source)
);

create index password_attempts_since on password_attempts (since);

-- Tokens that set a password: one for each address that one was mailed to, and one that staff were given.
create table password_resets (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  account_id text not null references accounts (id) on delete cascade,
  email_id text references account_emails (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  -- A token for each network that asked for one, so that nobody ends those of others.
  asked_by text,
  constraint password_resets_one unique nulls not distinct (account_id, email_id, asked_by)
);

create index password_resets_email_id on password_resets (email_id) where email_id is not null;
create index password_resets_expires_at on password_resets (expires_at);

-- Accounts that sign in with codes sent to their addresses.
create table code_sign_ins (
  account_id text primary key references accounts (id) on delete cascade,
  created_at timestamptz not null
);

create trigger code_sign_ins_ways_to_sign_in after insert or delete on code_sign_ins
  for each row execute function note_ways_to_sign_in();

-- The code that was sent to an address last.
create table email_codes (
  email_id text primary key references account_emails (id) on delete cascade,
  nonce bytea not null check (octet_length(nonce) = 16),
  expires_at timestamptz not null,
  -- The network that alone has asked for it; null if others have, too.
  asked_by text,
  -- Where wrong ones came from: one entry for each of them.
  guesses text[] not null default '{}' check (cardinality(guesses) <= 40),
  -- When strangers sent the first of those wrong ones back that count, at this code or one before.
  strangers_since timestamptz
);

create index email_codes_expires_at on email_codes (expires_at);

-- Phone numbers that accounts sign in with, and those of people who sign up and have not sent the code back yet. Each
-- of these has a handle that no other of them has.
create table phone_numbers (
  id text primary key,
  created_at timestamptz not null,
  -- In the form of E.164.
  phone_number text not null check (phone_number ~ '^\+[1-9][0-9]{6,14}$'),
  account_id text unique references accounts (id) on delete cascade,
  handle text check (octet_length(handle) between 1 and 30),
  handle_key text constraint phone_numbers_handle_key unique,
  -- What the sign-up names, whether there is such an invitation or not.
  invitation_id text check (char_length(invitation_id) <= 20),
  -- Where the sign-up began.
  network text,
  constraint phone_numbers_whose check (
    (account_id is null) = (handle is not null) and (handle is null) = (handle_key is null)
    and (handle is null) = (network is null) and (account_id is null or invitation_id is null))
);

create unique index phone_numbers_of_accounts on phone_numbers (phone_number) where account_id is not null;
create index phone_numbers_sign_ups on phone_numbers (id) where account_id is null;

create trigger phone_numbers_ways_to_sign_in after insert or update of account_id on phone_numbers
  for each row when (new.account_id is not null) execute function note_ways_to_sign_in();
create trigger phone_numbers_removed after delete on phone_numbers
  for each row when (old.account_id is not null) execute function note_ways_to_sign_in();

create trigger phone_numbers_handle_is_not_retired before insert or update of handle_key on phone_numbers
  for each row when (new.handle_key is not null)
  execute function check_handle_is_not_retired('phone_numbers_handle_key');

-- The code that was sent to a number last, as in email_codes.
create table phone_codes (
  phone_id text primary key references phone_numbers (id) on delete cascade,
  nonce bytea not null check (octet_length(nonce) = 16),
  expires_at timestamptz not null,
  asked_by text,
  guesses text[] not null default '{}' check (cardinality(guesses) <= 40),
  strangers_since timestamptz
);

create index phone_codes_expires_at on phone_codes (expires_at);

-- Codes are made of this key and what is stored of them, so that one can be sent again. All instances have
-- it.
create table code_key (
  only_one boolean primary key default true check (only_one),
  key bytea not null check (octet_length(key) = 32)
);

insert into code_key (key)
  select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

create table passkeys (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  created_at timestamptz not null,
  used_at timestamptz,
  -- In base64url.
  credential_id text not null constraint passkeys_credential_id unique
    check (char_length(credential_id) between 1 and 1364),
  public_key bytea not null check (octet_length(public_key) between 1 and 1024),
  -- How many it says it made; 0 if it does not count them.
  signatures bigint not null check (signatures between 0 and 4294967295),
  transports text[] not null check (cardinality(transports) <= 6),
  name text not null check (char_length(name) between 1 and 100),
  -- How it knows its account, in base64url.
  user_handle text not null check (char_length(user_handle) between 22 and 86)
);

create index passkeys_of_account on passkeys (account_id, id);

create trigger passkeys_number before insert on passkeys
  for each row execute function check_number_of_rows('account_id', '20');

create trigger passkeys_ways_to_sign_in after insert or delete on passkeys
  for each row execute function note_ways_to_sign_in();

-- What proves states that browsers kept sealed, challenges to passkeys and states of sign-ins elsewhere, once it was
-- used, so that none is used again.
create table sealed_states_used (
  proof text primary key check (char_length(proof) = 43),
  until timestamptz not null
);

create index sealed_states_used_until on sealed_states_used (until);

-- The key of the seals, made here so that all instances have the same.
create table seal_key (
  only_one boolean primary key default true check (only_one),
  key bytea not null check (octet_length(key) = 32)
);

insert into seal_key (key)
  select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
