import { migration } from "../shared/migration.ts"

export default migration([
  // How much an account has uploaded on the last day on which it has uploaded anything.
  `create table upload_totals (
    account_id text primary key references accounts (id) on delete cascade,
    -- In UTC.
    day date not null,
    bytes bigint not null check (bytes >= 0)
  )`
])
