import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["InvitationList"]

export const walks: Walks = Effect.gen(function* () {
  const { odin, freya, loki, tyr } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into invitations (id, created_at, creator_id)
    select 'i' || lpad(n::text, 18, '0') || '0', 'epoch'::timestamptz + (n / 7) * interval '1 microsecond',
      (array[${odin.id}, ${freya.id}, ${loki.id}]::text[])[1 + n % 3] from generate_series(1, 2100) n`
  return [
    {
      operation: "InvitationList",
      viewer: odin,
      path: "/invitations",
      rows: "invitations",
      narrowed: `/invitations?account_id=${tyr.id}`,
      remove: (id) => sql`delete from invitations where id = ${id}`
    }
  ]
})
