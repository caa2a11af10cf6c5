import { migration } from "../shared/migration.ts"

// As in the rules of passkeys. Numbers in the database change by a migration only.
const passkeysMax = 20

export default migration([
  `create table passkeys (
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
    name text not null check (char_length(name) between 1 and 100)
  )`,
  `create index passkeys_of_account on passkeys (account_id, id)`,
  `create trigger passkeys_number before insert on passkeys
    for each row execute function check_number_of_rows('account_id', '${passkeysMax}')`,

  // Challenges that were answered, so that none is answered again.
  `create table passkey_challenges_used (
    challenge text primary key check (char_length(challenge) = 43),
    until timestamptz not null
  )`,
  `create index passkey_challenges_used_until on passkey_challenges_used (until)`,

  // The key of the seals on challenges, made here so that all instances have the same.
  `create table passkey_seal (
    only_one boolean primary key default true check (only_one),
    key bytea not null check (octet_length(key) = 32)
  )`,
  `insert into passkey_seal (key)
    select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))`
])
