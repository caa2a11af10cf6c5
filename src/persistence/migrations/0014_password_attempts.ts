import { migration } from "../shared/migration.ts"

// Wrong passwords since a moment, for each place they come from, and when a place had a right one last. Those
// from networks that never had one are also counted together, as `strangers`.
export default migration([
  `create table password_attempts (
    account_id text not null references accounts (id) on delete cascade,
    source text not null check (source = 'strangers' or source ~ '^(network|session) '),
    failures integer not null check (failures >= 0),
    since timestamptz not null,
    signed_in_at timestamptz,
    primary key (account_id, source)
  )`,
  `create index password_attempts_since on password_attempts (since)`,
  `drop table sign_in_failures`
])
