import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SearchIndex } from "../../src/persistence/search/SearchIndexSql.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"

layer(SearchIndex.layer.pipe(Layer.provideMerge(People.layer)))("the indexes of search", (it) => {
  it.effect("have what was written in its place once they are merged, and find it before", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { merge } = yield* SearchIndex
      const pending = sql`select sum(gin_clean_pending_list(indexrelid::regclass))::int as pages from pg_index
        where indexrelid in ('search_texts_replies'::regclass, 'search_texts_titled'::regclass)`
      yield* merge
      const thread = yield* open(freya, "Pending title")
      yield* reply(freya, thread.id, "pending body")
      const found = Effect.map(guest.get("/datagraph?q=pending"), (answer) => ok(answer).results)
      assert.strictEqual(yield* found, 2)
      // Two at once, as of two instances: one of them does it.
      yield* Effect.all([merge, merge], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* pending, [{ pages: 0 }])
      assert.strictEqual(yield* found, 2)
    })
  )
})
