/** Everything that is compared, by the names by which the table of lists and numbers speaks of it. */
import type { SqlClient } from "effect/sql"
import * as discussion from "./discussion.ts"
import { everywhere } from "./everywhere.ts"
import * as library from "./library.ts"
import * as people from "./people.ts"

/** In this order: what was shown anywhere is compared when all has been shown. */
export const comparisons = (sql: SqlClient.SqlClient) => ({
  ...discussion,
  ...library,
  nodes: library.nodes(sql),
  profiles: people.profiles,
  notifications: people.notifications(sql),
  reports: people.reports,
  invitations: people.invitations,
  keys: people.keys,
  administration: people.administration(sql),
  everywhere
})
