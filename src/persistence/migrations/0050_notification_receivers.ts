import { migration } from "../shared/migration.ts"

export default migration([
  // How many notifications an account has got since its oldest were deleted: to find which these are, all that are
  // kept are passed over, so that it is not done for each new one.
  `create table notification_receivers (
    account_id text primary key references accounts (id) on delete cascade,
    received integer not null check (received >= 0)
  ) with (fillfactor = 50)`
])
