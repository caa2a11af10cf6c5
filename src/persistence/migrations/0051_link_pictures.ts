import { migration } from "../shared/migration.ts"

export default migration([
  // How much the copies of pictures take that were made on the last day on which any were made. One row: few are
  // made at a time.
  `create table link_picture_totals (
    is_only boolean primary key default true check (is_only),
    -- In UTC.
    day date not null,
    bytes bigint not null check (bytes >= 0)
  )`
])
