import { migration } from "../shared/migration.ts"

export default migration([
  `alter table posts add constraint posts_titled check (title <> '' or visibility = 'draft')`
])
