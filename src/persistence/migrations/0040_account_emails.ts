import { migration } from "../shared/migration.ts"

// As in the rules of accounts. Numbers in the database change by a migration only.
const addressesMax = 20

export default migration([
  `create table account_emails (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    created_at timestamptz not null,
    address text not null unique check (address = lower(address) and char_length(address) between 3 and 254),
    verified boolean not null default false
  )`,
  `create index account_emails_account_id on account_emails (account_id, created_at, id)`,
  `create trigger account_emails_number before insert on account_emails
    for each row execute function check_number_of_rows('account_id', '${addressesMax}')`,

  // Accounts that sign in with codes sent to their addresses.
  `create table code_sign_ins (
    account_id text primary key references accounts (id) on delete cascade,
    created_at timestamptz not null
  )`
])
