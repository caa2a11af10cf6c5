import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["ReportList"]

export const walks: Walks = Effect.gen(function* () {
  const { odin, freya } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into reports (id, created_at, updated_at, target_id, target_kind, reported_by)
    select 'rep' || lpad(n::text, 16, '0') || '0', '1969-01-01Z',
      '1969-01-01Z'::timestamptz + (n / 7) * interval '1 microsecond',
      'target' || lpad(n::text, 13, '0') || '0', 'post', ${freya.id} from generate_series(1, 35) n`
  const remove = (id: string) => sql`delete from reports where id = ${id}`
  const list = { operation: "ReportList", rows: "reports", remove }
  return [
    { ...list, viewer: odin, path: "/reports", narrowed: "/reports?kind=node" },
    { ...list, when: "one's own", viewer: freya, path: "/reports?status=submitted", narrowed: "/reports" }
  ]
})
