/** Pages with many properties where other resources show them: within the bytes of an answer, by a fixed number of statements. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { create } from "../collection/support.ts"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, type Person } from "../support/people.ts"
import { counting, statementsOf } from "../support/statements.ts"
import { page } from "./elsewhere.ts"
import { setChildFields } from "./propertySupport.ts"

/** Shows pages in every other place: under their tag, in a search, in a collection, in notifications. */
const showEverywhere = Effect.fnUntraced(function* (
  owner: Person,
  name: string,
  nodes: ReadonlyArray<Answer["json"]>
) {
  const sql = yield* SqlClient.SqlClient
  const collection = yield* create(owner, name)
  for (const { id } of nodes) ok(yield* owner.put(`/collections/${collection.id}/nodes/${id}`))
  yield* sql`delete from notifications`
  yield* sql`insert into notifications
      (id, created_at, account_id, event, source_id, item_kind, item_id, cause_id)
    select substr(md5(random()::text), 1, 19) || '0', now() + place * interval '1 second', ${owner.id},
      'node_version_created', ${owner.id}, 'node', id, place
    from unnest(${idsOf(nodes)}::text[]) with ordinality t (id, place)`
  const refs = (items: ReadonlyArray<Answer["json"]>) => items.map(({ ref }) => ref)
  return [
    [`/tags/${name}`, ({ items }: Answer["json"]) => refs(items)],
    [`/datagraph?q=${name}&kind=node`, ({ items }: Answer["json"]) => refs(items)],
    [
      `/collections/${collection.id}`,
      ({ items }: Answer["json"]) => refs(items.map(({ item }: Answer["json"]) => item))
    ],
    [
      "/notifications",
      ({ notifications }: Answer["json"]) => refs(notifications.map(({ item }: Answer["json"]) => item))
    ]
  ] as const
})

const lists = ["assets", "tags", "properties", "child_property_schema", "recomentations", "children"] as const

layer(People.layer)("pages with many properties", (it) => {
  it.effect("are shown within the bytes of an answer wherever they are shown", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const parent = yield* page(odin, "Table")
      const rows = yield* Effect.forEach(Array.from({ length: 40 }), (_, n) =>
        page(odin, `Wide ${n}`, { parent: parent.id, tags: ["wide"] })
      )
      const fields = Array.from({ length: 100 }, (_, n) => ({
        name: String(n).padEnd(255, "説"),
        type: "text",
        sort: String(n).padStart(255, "0")
      }))
      ok(yield* setChildFields(odin, parent.id, fields))
      const first = (yield* showEverywhere(odin, "wide", rows)).map(([path, nodesOf]) => ({ path, nodesOf }))
      for (const { nodesOf, path } of first) {
        const isPaged = path.startsWith("/datagraph") || path === "/notifications"
        const shown: Array<Answer["json"]> = []
        for (let next: number | undefined = 1; next !== undefined; ) {
          const answer: Answer = yield* odin.get(
            isPaged ? `${path}${path.includes("?") ? "&" : "?"}page=${next}` : path
          )
          assert.isBelow(new TextEncoder().encode(answer.text).length, 2.5 * 1024 * 1024, path)
          shown.push(...nodesOf(ok(answer)))
          next = ok(answer).next_page
        }
        assert.lengthOf(shown, rows.length, path)
        assert.lengthOf(new Set(idsOf(shown)), rows.length, path)
        const whole = shown.filter(({ properties }) => properties?.length === 100)
        assert.isAbove(whole.length, isPaged ? rows.length - 1 : 5, path)
        for (const node of shown) {
          const omitted: ReadonlyArray<string> = node.misc.omitted ?? []
          for (const list of lists) {
            if (omitted.includes(list)) assert.notProperty(node, list, `${path} ${list}`)
            else assert.isArray(node[list], `${path} ${list}`)
          }
          // A page shows all of its properties or says that it lacks them.
          assert.strictEqual(node.properties?.length ?? 0, omitted.includes("properties") ? 0 : 100, path)
        }
      }
    })
  )
})

layer(counting(People.layer))("pages that are shown elsewhere", (it) => {
  it.effect("take as many statements, however many there are and in however many groups", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const rows = yield* Effect.forEach(Array.from({ length: 12 }), (_, n) =>
        Effect.gen(function* () {
          const parent = yield* page(odin, `Group ${n}`)
          const property = { name: `Field ${n}`, type: "text", value: String(n) }
          const more = { parent: parent.id, properties: [property] }
          const row = yield* page(odin, `Many ${n}`, { ...more, tags: ["many"] })
          yield* page(odin, `Inside ${n}`, { parent: row.id, properties: [property] })
          return row
        })
      )
      const one = yield* page(odin, "One of one", {
        parent: rows[0].id,
        properties: [{ name: "Field 0", value: "x" }],
        tags: ["one"]
      })
      yield* page(odin, "Beneath", { parent: one.id, properties: [{ name: "a", type: "text", value: "b" }] })
      const count = Effect.fnUntraced(function* (name: string, nodes: ReadonlyArray<Answer["json"]>) {
        const counts: Array<number> = []
        for (const [path, nodesOf] of yield* showEverywhere(odin, name, nodes)) {
          // People and tags are read once.
          yield* odin.get(path)
          const { answer, statements } = yield* statementsOf(odin.get(path))
          for (const node of nodesOf(ok(answer))) {
            assert.deepStrictEqual(
              [node.properties.length, node.child_property_schema.length],
              [1, 1],
              `${path} ${node.name}`
            )
          }
          counts.push(statements.length)
        }
        return counts
      })
      assert.deepStrictEqual(yield* count("many", rows), yield* count("one", [one]))
    })
  )
})
