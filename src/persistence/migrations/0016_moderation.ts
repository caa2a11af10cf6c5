import { migration } from "../shared/migration.ts"

// As in the schema of the settings.
const words = { number: 1000, length: 100 }

const isList = (name: string) =>
  `jsonb_array_length(coalesce(value -> '${name}', '[]')) <= ${words.number}
    and not jsonb_path_exists(value, '$.${name}[*] ? (@ like_regex "^.{${words.length + 1}}" flag "s")')`

export default migration([
  // A row for each part of the settings, with what differs from the defaults.
  `create table settings (
    part text primary key check (part in ('moderation')),
    value jsonb not null default '{}' check (jsonb_typeof(value) = 'object'),
    updated_at timestamptz not null default 'epoch',
    version bigint not null default 0,
    check (part <> 'moderation' or (${isList("word_block_list")} and ${isList("word_report_list")}))
  )`,
  `create trigger settings_version before update on settings
    for each row when (old.* is distinct from new.*) execute function bump_version()`,
  `insert into settings (part) values ('moderation')`
])
