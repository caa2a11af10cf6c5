/** What is refused of a page, by creating one as by changing one. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AssetBytesUnavailable } from "../../src/domain/asset/Asset.ts"
import { AssetSourceFailed, TooManyNodeAssets } from "../../src/domain/library/NodeProblems.ts"
import {
  PropertyFieldIdMissing,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyNameTaken,
  PropertyTypeMissing,
  TooManyPropertyFields
} from "../../src/domain/library/Property.ts"
import { MarkupTooComplex } from "../../src/domain/text/TextProblem.ts"
import { MarkupTooLong, TooManyLinks, TooManyMentions } from "../../src/domain/thread/Post.ts"
import { ok } from "../support/answers.ts"
import { bytesOf } from "../support/files.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, grant, nobody, type Person } from "../support/people.ts"
import { assertProblem, type ProblemClass } from "../support/problems.ts"
import { page } from "./writeSupport.ts"

type Refused = readonly [problem: ProblemClass<object>, fields: object]

/** Sends fields that are refused, in a new page and in a change of one. */
const assertRefused = Effect.fnUntraced(function* (
  person: Person,
  { id }: { readonly id: string },
  beside: object,
  refused: ReadonlyArray<Refused>
) {
  for (const [problem, fields] of refused) {
    assertProblem(yield* person.post("/nodes", { name: "Refused", ...beside, ...fields }), problem)
    assertProblem(yield* person.patch(`/nodes/${id}`, fields), problem)
  }
  assert.strictEqual((yield* person.get("/nodes/refused")).status, 404)
})

const many = (count: number, one: (n: number) => string) => Array.from({ length: count }, (_, n) => one(n))

const id = (n: number) => `${"m".repeat(15)}${String(n).padStart(4, "0")}0`

const fieldsNamed = (count: number, prefix: string) =>
  many(count, (n) => `${prefix} ${n}`).map((name, n) => ({ name, type: "text", value: "", sort: String(n) }))

layer(People.layer)("the content of a page", (it) => {
  it.effect("is refused where it is too much", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const mine = yield* page(freya, "Mine")
      yield* assertRefused(freya, mine, {}, [
        [TooManyMentions, { content: many(51, (n) => `<a href="sdr:profile/${id(n)}">m</a>`).join("") }],
        [TooManyLinks, { content: many(1001, (n) => `<a href="https://a.test/${n}">a</a>`).join("") }],
        [MarkupTooLong, { content: `<p title="${"x".repeat(530_000)}">a</p>` }],
        [MarkupTooComplex, { content: `<b title="b">`.repeat(2000) }]
      ])
    })
  )
})

layer(People.layer)("the files of a page", (it) => {
  it.effect("are refused where they are too many, or cannot be fetched or stored", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* Pages.clear
      Pages.put("https://a.test/file", Pages.page("", { body: bytesOf("text") }))
      yield* sql`insert into assets (id, created_at, filename, original_name, mime_type, size, store)
        select id, 'epoch', id, 'x', 'text/plain', 1, 'disk' from unnest(${many(200, id)}::text[]) id`
      const full = yield* page(freya, "Full", { asset_ids: many(200, id) })
      const source = { asset_sources: ["https://a.test/file"] }
      assertProblem(yield* freya.patch(`/nodes/${full.id}`, source), TooManyNodeAssets)
      const both = { name: "Refused", asset_ids: many(200, id), ...source }
      assertProblem(yield* freya.post("/nodes", both), TooManyNodeAssets)
      const mine = yield* page(freya, "Mine")
      yield* assertRefused(freya, mine, {}, [[AssetSourceFailed, { asset_sources: ["https://gone.test/"] }]])
      yield* sql`create function give_up() returns trigger language plpgsql as $$
        begin new.abandoned := true; return new; end $$`
      yield* sql`create trigger give_up before insert on asset_uploads for each row execute function give_up()`
      yield* assertRefused(freya, mine, {}, [[AssetBytesUnavailable, source]])
    })
  )
})

layer(People.layer)("the properties of a page", (it) => {
  it.effect("are refused where they contradict each other or those of its siblings", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* page(odin, "Shelf", { visibility: "published" })
      const inShelf = { parent: "shelf" }
      const weight = { name: "Weight", type: "number", value: "1", sort: "1" }
      const sibling = yield* page(odin, "Sibling", { ...inShelf, properties: [weight] })
      const mine = yield* page(freya, "Mine", inShelf)
      const [{ fid }] = ok(yield* odin.get(`/nodes/${sibling.id}`)).properties
      const entry = { fid, name: "", value: "2" }
      yield* assertRefused(freya, mine, inShelf, [
        [PropertyFieldIdMissing, { properties: [{ name: "Weight", type: "text", value: "x" }] }],
        [PropertyFieldTwice, { properties: [entry, entry] }],
        [PropertyFieldUnknown, { properties: [{ ...entry, fid: nobody }] }],
        [PropertyTypeMissing, { properties: [{ name: "Height", value: "" }] }],
        [
          PropertyNameTaken,
          { properties: fieldsNamed(1, "Same").flatMap((field) => [field, { ...field, sort: "2" }]) }
        ]
      ])
      const path = `/nodes/${mine.id}`
      // The field of the sibling stays where a page is created, and goes where one is changed.
      const hundred = { properties: fieldsNamed(100, "Field") }
      const crowded = yield* freya.post("/nodes", { name: "Crowded", ...inShelf, ...hundred })
      assertProblem(crowded, TooManyPropertyFields)
      const twice = [fid, fid].map((fid, n) => ({ fid, name: `Field ${n}`, type: "number", sort: "1" }))
      assertProblem(yield* freya.patch(`${path}/property-schema`, twice), PropertyFieldTwice)
      assertProblem(yield* freya.patch(`${path}/properties`, hundred), TooManyPropertyFields, { maximum: 50 })
      const fifty = { properties: fieldsNamed(49, "Field") }
      assert.lengthOf(ok(yield* freya.patch(`${path}/properties`, fifty)).properties, 50)
    })
  )

  it.effect("keep pages from groups that have no room for their fields", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_LIBRARY")
      yield* page(odin, "Source", { visibility: "published" })
      yield* page(odin, "Target", { visibility: "published" })
      const published = { visibility: "published" }
      const own = { name: "Own", type: "text", value: "x", sort: "1" }
      const child = yield* page(odin, "Child", { ...published, parent: "source", properties: [own] })
      yield* page(odin, "Crowd", { ...published, parent: "target" })
      ok(yield* odin.patch("/nodes/crowd/properties", { properties: fieldsNamed(100, "Field") }))
      ok(yield* odin.patch("/nodes/target/properties", { properties: fieldsNamed(100, "Field") }))
      for (const answer of [
        yield* odin.patch("/nodes/child/position", { parent: "target" }),
        yield* odin.put("/nodes/target/nodes/child"),
        yield* odin.patch("/nodes/child", { parent: "target" }),
        yield* odin.delete("/nodes/source?target_node=target")
      ]) {
        assertProblem(answer, TooManyPropertyFields, { maximum: 100 })
      }
      const { parent, properties } = ok(yield* tyr.get(`/nodes/${child.id}`))
      assert.deepStrictEqual([parent.slug, properties.length, properties[0].value], ["source", 1, "x"])
    })
  )
})
