/** The schema of a new database: a file for each area, which has its tables, indexes, functions and triggers. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The areas of the schema, each after those whose tables it refers to. */
const areas = [
  "shared",
  "event",
  "tag",
  "account",
  "idempotency",
  "role",
  "accesskey",
  "oauthclient",
  "oauthgrant",
  "oauthcode",
  "oauthdevice",
  "session",
  "replica",
  "asset",
  "settings",
  "instance",
  "theme",
  "signing",
  "invitation",
  "authentication",
  "elsewhere",
  "remoteresource",
  "plugin",
  "webhook",
  "mail",
  "sms",
  "moderation",
  "report",
  "category",
  "link",
  "thread",
  "like",
  "reaction",
  "collection",
  "profile",
  "calendar",
  "library",
  "search",
  "notification",
  "feed",
  "erasure",
  "owndata"
]

const textOf = (area: string) => readFileSync(new URL(`../schema/${area}.sql`, import.meta.url), "utf8")

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Functions name tables of any area, which may come later.
  yield* sql`set local check_function_bodies = off`
  // A message to the server has one statement.
  for (const area of areas) yield* sql.unsafe(`do $baseline$ begin ${textOf(area)} end $baseline$`)
})
