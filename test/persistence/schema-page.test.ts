/** `docs/schema.md` is as the database is; `npm run schema` writes it again. */
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { schemaPage } from "../../tools/schema/page.ts"
import * as Database from "../support/database.ts"

layer(Database.fresh)("the page about the schema", (it) => {
  it.effect("is up to date", ({ expect }) =>
    Effect.gen(function* () {
      const page = yield* schemaPage
      yield* Effect.promise(() =>
        expect(page).toMatchFileSnapshot(join(import.meta.dirname, "../..", "docs/schema.md"))
      )
    })
  )

  it.effect("tells what an update of posts sets off", () =>
    Effect.gen(function* () {
      const posts = (yield* schemaPage).split("\n### ").find((part) => part.startsWith("posts\n"))
      assert.include(
        posts,
        "`bump_thread_of_posts` updates [threads](#threads) (version, unpublished_replies, opening_weight, reply_weight)"
      )
      const [, reached] = /^- update: (.*)$/m.exec(posts ?? "") ?? []
      assert.deepStrictEqual(
        [...(reached ?? "").matchAll(/\[(\w+)\]/g)].map(([, table]) => table),
        [
          "account_counts",
          "link_changes",
          "link_totals",
          "links",
          "search_texts",
          "search_words",
          "thread_moves",
          "thread_participants",
          "thread_references",
          "threads"
        ]
      )
    })
  )
})
