import { migration } from "../shared/migration.ts"

export default migration([
  // In base64url. Passkeys of before know their account by its id, and have none.
  `alter table passkeys add column user_handle text check (char_length(user_handle) between 22 and 86)`
])
