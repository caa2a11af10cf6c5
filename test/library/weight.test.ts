/** How many bytes of an answer a page takes is kept with it, whatever of it changes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "../support/answers.ts"
import { asset } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { manager, page, propertiesOf, setProperties } from "./propertySupport.ts"

const weightOf = (id: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly weight: number }>`select weight from nodes where id = ${id}`,
      ([row]) => row?.weight ?? 0
    )
  )

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

layer(People.layer)("the weight of a page", (it) => {
  it.effect("has the bytes of its metadata and its values", () =>
    Effect.gen(function* () {
      const person = yield* manager
      const { id } = yield* page(person, "Weighed")
      const weight = weightOf(id)
      const [field] = propertiesOf(
        yield* setProperties(person, id, [{ name: "Text", type: "text", value: "" }])
      )
      const before = yield* weight
      const value = { fid: field?.fid, name: "Text", type: "text", value: "ä".repeat(500) }
      ok(yield* setProperties(person, id, [value]))
      assert.strictEqual((yield* weight) - before, 1000)
      ok(yield* person.patch(`/nodes/${id}`, { meta: { a: "x".repeat(100) } }))
      assert.isAtLeast((yield* weight) - before, 1100)
    })
  )

  it.effect("has what everything else on it takes, from its creation on and as it changes", () =>
    Effect.gen(function* () {
      const { odin } = yield* People.Cast
      const [one, two] = ["asset000000000000000", "asset000000000000001"] as const
      for (const id of [one, two]) yield* asset(id)
      const content = `<p>"${"\\ä\n".repeat(50)}"</p>`
      const { id } = yield* page(odin, "Full", {
        content,
        tags: ["a", "b"],
        asset_ids: [one],
        url: "https://a.test/"
      })
      const change = (changes: object) => Effect.map(odin.patch(`/nodes/${id}`, changes), ok)
      const weight = Effect.map(odin.get(`/nodes/${id}`), (answer) => {
        const { assets, content, link, meta, tags } = ok(answer)
        const text = content === undefined ? 0 : bytesOf(content)
        const parts = 500 * assets.length + 200 * tags.length + (link === undefined ? 0 : 5000)
        return text + bytesOf(meta) + parts
      })
      assert.strictEqual(yield* weight, yield* weightOf(id))
      assert.isAbove(yield* weight, 5900)
      for (const changes of [
        { tags: ["b", "c", "d"] },
        { asset_ids: [two] },
        { url: null },
        { url: "https://b.test/" },
        { content: `${content}${content}` },
        { content: "<p></p>" }
      ]) {
        const before = yield* weight
        yield* change(changes)
        assert.notStrictEqual(yield* weight, before)
        assert.strictEqual(yield* weight, yield* weightOf(id), JSON.stringify(changes))
      }
      // Also by statements that change nothing else.
      const sql = yield* SqlClient.SqlClient
      for (const change of ["link_id = null", `meta = '{"a":1}'`]) {
        const before = yield* weightOf(id)
        yield* sql.unsafe(`update nodes set ${change} where id = '${id}'`)
        assert.notStrictEqual(yield* weightOf(id), before, change)
      }
    })
  )
})
