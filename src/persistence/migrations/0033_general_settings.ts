import { migration } from "../shared/migration.ts"

export default migration([
  `alter table settings drop constraint settings_part_check`,
  `alter table settings add constraint settings_part check (part in ('general', 'moderation'))`,
  `alter table settings add constraint settings_bytes check (octet_length(value::text) <= 2 * 1024 * 1024)`,
  `insert into settings (part) values ('general')`
])
