/** What is searched of a page is what it shows, whatever happened to it and to the pages next to it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { nodeTextForm } from "../../src/domain/library/NodeSearchText.ts"
import type { RichText } from "../../src/domain/text/RichText.ts"
import { searchForm, searchKey } from "../../src/domain/text/SearchText.ts"
import { piecesOf } from "../../src/domain/text/Terms.ts"
import { type Answer, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, query } from "../support/people.ts"
import { page } from "./elsewhere.ts"

interface NodeRow {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly content: RichText | null
  readonly description: string
  readonly visibility: string
  readonly property_values: ReadonlyArray<string>
}

const formOf = ({ content, description, id, name, property_values, slug, visibility }: NodeRow) => {
  const text = nodeTextForm({ content: content ?? undefined, description })
  const values = property_values.map((value) => searchKey(searchForm(value).trim())).toSorted()
  return {
    id,
    visibility,
    title: searchKey(searchForm(name).trim()),
    slug: searchKey(searchForm(slug)),
    texts: [...searchKey(text).split("\n"), ...values],
    pieces: [...piecesOf(text)].toSorted()
  }
}

interface SearchRow {
  readonly id: string
  readonly visibility: string
  readonly title: string
  readonly slug: string
  readonly body: string
  readonly pieces: ReadonlyArray<string>
}

const searchedOf = ({ body, pieces, ...row }: SearchRow) => {
  const [content = "", description = "", ...values] = body.split("\n")
  return { ...row, texts: [content, description, ...values.toSorted()], pieces: [...pieces].toSorted() }
}

const checkAll = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const nodes = yield* sql<NodeRow>`select id, name, slug, content, description, visibility,
      array(select value from property_values v where v.node_id = n.id) as property_values
    from nodes n order by id`
  const rows = yield* sql<SearchRow>`select id, visibility, title, slug, body,
      coalesce(tsvector_to_array(pieces), '{}') as pieces
    from search_texts where kind = 'node' order by id`
  assert.deepStrictEqual(rows.map(searchedOf), nodes.map(formOf))
  const words = yield* sql`select from search_words w where kind = 'node'
    and not exists (select from nodes n where n.id = w.item_id and n.visibility = 'published')`
  assert.isEmpty(words)
  const listed = yield* sql`select from node_tags g join nodes n on n.id = g.node_id
    where g.listed <> (n.visibility = 'published')`
  assert.isEmpty(listed)
})

const word = fc.constantFrom("alpha", "Βήτα", "学习编程", "x\ny", "c++", "日本 語", "", "plain text")
const properties = fc.array(
  fc.record({ name: fc.constantFrom("One", "Two", "Three"), type: fc.constant("text"), value: word }),
  { maxLength: 3 }
)
const step = fc.oneof(
  fc.record({ do: fc.constant("name" as const), text: fc.constantFrom("Name", "名前", "Other name") }),
  fc.record({ do: fc.constant("content" as const), text: word }),
  fc.record({ do: fc.constant("description" as const), text: word }),
  fc.record({ do: fc.constant("properties" as const), properties }),
  fc.record({ do: fc.constant("visibility" as const), to: fc.constantFrom("draft", "published", "review") }),
  fc.record({ do: fc.constant("tags" as const), tags: fc.subarray(["a", "b", "c"]) }),
  fc.record({ do: fc.constant("move" as const), under: fc.nat(2) }),
  fc.record({ do: fc.constant("version" as const), text: word, properties }),
  fc.record({ do: fc.constant("schema" as const) }),
  fc.record({ do: fc.constant("delete" as const) })
)

layer(People.layer)("what is searched of pages", (it) => {
  it.effect("is what they show after any sequence of changes, of their own and of others", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const groups: Array<Answer["json"]> = []
      for (const name of ["First", "Second"]) groups.push(yield* page(odin, name))
      let made = 0
      const nodes: Array<Answer["json"]> = []
      const add = Effect.gen(function* () {
        nodes.push(yield* page(odin, `Page ${made++}`, { parent: groups[made % 2].id }))
      })
      for (let n = 0; n < 4; n++) yield* add
      const without = (given: ReadonlyArray<{ readonly name: string }>) => [
        ...new Map(given.map((one) => [one.name, one])).values()
      ]
      // Fields keep their ids; those that are left out are deleted with the values of all siblings.
      const known = Effect.fnUntraced(function* (
        id: string,
        given: ReadonlyArray<{ readonly name: string }>
      ) {
        const { properties: present } = ok(yield* odin.get(`/nodes/${id}`))
        return without(given).map((one) => {
          const field = present.find(({ name }: { readonly name: string }) => name === one.name)
          return field === undefined ? one : { ...one, fid: field.fid }
        })
      })
      const steps = fc.sample(fc.tuple(fc.nat(3), step), { numRuns: 90, seed: 20_260_332 })
      for (const [which, one] of steps) {
        while (nodes.length < 4) yield* add
        const { id } = nodes[which]
        const path = `/nodes/${id}`
        switch (one.do) {
          case "name":
          case "content":
          case "description":
            ok(yield* odin.patch(path, { [one.do]: one.text }))
            break
          case "properties":
            ok(yield* odin.patch(path, { properties: yield* known(id, one.properties) }))
            break
          case "visibility":
            ok(yield* odin.patch(`${path}/visibility`, { visibility: one.to }))
            break
          case "tags":
            ok(yield* odin.patch(path, { tags: one.tags }))
            break
          case "move":
            yield* odin.patch(`${path}/position`, { parent: groups[one.under]?.id ?? null })
            break
          case "version": {
            const payload = {
              content: one.text,
              description: null,
              properties: yield* known(id, one.properties)
            }
            const draft = ok(yield* odin.post(`${path}/versions`, payload))
            ok(yield* odin.patch(`${path}/versions/${draft.id}/status`, { status: "applied" }))
            break
          }
          case "schema":
            ok(yield* odin.patch(`/nodes/${groups[0].id}/children/property-schema`, []))
            break
          case "delete":
            ok(yield* odin.delete(path))
            nodes.splice(which, 1)
        }
        yield* checkAll
      }
      assert.isAbove(made, 6)
      // And everything that is published is found.
      const shown = Effect.map(
        guest.get(`/datagraph${query({ kind: "node" })}`),
        (answer) => ok(answer).results
      )
      const sql = yield* SqlClient.SqlClient
      const [{ n } = { n: 0 }] = yield* sql<{ readonly n: number }>`select count(*)::int as n from nodes
        where visibility = 'published'`
      assert.strictEqual(yield* shown, n)
    })
  )
})
