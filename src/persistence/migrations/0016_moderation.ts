import { migration } from "../shared/migration.ts"

export default migration([
  // One row for each part of the settings, which has what differs from the defaults.
  `create table settings (
    part text primary key check (part in ('moderation')),
    value jsonb not null default '{}' check (jsonb_typeof(value) = 'object'),
    updated_at timestamptz not null default now(),
    check (part <> 'moderation' or (
      jsonb_array_length(coalesce(value -> 'word_block_list', '[]')) <= 1000
      and jsonb_array_length(coalesce(value -> 'word_report_list', '[]')) <= 1000
      and not jsonb_path_exists(value, '$.*[*] ? (@.type() == "string" && @ like_regex "^.{101}" flag "s")')
    ))
  )`,
  `insert into settings (part) values ('moderation')`
])
