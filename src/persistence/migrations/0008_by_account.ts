import { migration } from "../shared/migration.ts"

// What an account has of the threads of a list lies together, and is found by few descents of the index.
const byAccount = (table: string) => [
  `alter table ${table} drop constraint ${table}_pkey, add primary key (account_id, thread_id)`,
  `drop index ${table}_account_id`,
  `create index ${table}_thread_id on ${table} (thread_id)`
]

export default migration([...byAccount("thread_participants"), ...byAccount("read_marks")])
