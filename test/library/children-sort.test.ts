/** The orders of the children of a page. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as People from "../support/people.ts"
import { Cast, guest, query } from "../support/people.ts"
import { childrenOf, page, setChildFields } from "./propertySupport.ts"

const sorted = (slug: string, children_sort: string) => childrenOf(guest, slug, query({ children_sort }))

/** A page with a child for each value, which has it as its property `Value`; undefined for none. */
const withValues = Effect.fnUntraced(function* (
  name: string,
  type: string,
  values: ReadonlyArray<string | undefined>
) {
  const { odin } = yield* Cast
  yield* page(odin, name, { visibility: "published" })
  const slugs: Array<string> = []
  for (const [n, value] of values.entries()) {
    const more =
      value === undefined ? {} : { properties: [{ name: "Value", ...(n === 0 ? { type } : {}), value }] }
    const made = yield* page(odin, `${name} ${n}`, {
      parent: name.toLowerCase(),
      visibility: "published",
      ...more
    })
    slugs.push(made.slug)
  }
  return slugs
})

/** The values in the order in which the children are listed. */
const order = Effect.fnUntraced(function* (
  name: string,
  type: string,
  values: ReadonlyArray<string | undefined>
) {
  const slugs = yield* withValues(name, type, values)
  const valueOf = (slug: string) => values[slugs.indexOf(slug)]
  const slug = name.toLowerCase()
  return {
    ascending: (yield* sorted(slug, "Value")).map(valueOf),
    descending: (yield* sorted(slug, "-Value")).map(valueOf)
  }
})

layer(People.layer)("children sorted by a property", (it) => {
  it.effect("that is a number are in the order of the numbers, those without one last", () =>
    Effect.gen(function* () {
      const numbers = [
        "-1e3",
        "-2.5",
        "0",
        ".5",
        "4",
        "5",
        "19",
        "+20",
        "1e2",
        "100000000000000000001",
        "100000000000000000002"
      ]
      const unfit = ["4 kg", "1,5", "NaN", "Infinity", "0x10", "1_000", "٤", "1e1000", "9".repeat(101)]
      const shuffled = [
        "19",
        undefined,
        "4",
        ...unfit,
        "5",
        "-2.5",
        "1e2",
        "100000000000000000002",
        "0",
        "",
        "-1e3",
        "+20",
        "100000000000000000001",
        ".5"
      ]
      const { ascending, descending } = yield* order("Numbers", "number", shuffled)
      assert.deepStrictEqual(ascending.slice(0, numbers.length), numbers)
      assert.deepStrictEqual(descending.slice(0, numbers.length), numbers.toReversed())
      // In both orders, by their ids.
      const rest = [undefined, ...unfit, ""]
      assert.deepStrictEqual(ascending.slice(numbers.length), rest)
      assert.deepStrictEqual(descending.slice(numbers.length), rest)
    })
  )

  it.effect("that is a text are in the order of its code points", () =>
    Effect.gen(function* () {
      const texts = ["10", "9", "Apple", "Zebra", "apple", "zebra", "Äpfel", "\uffee", "𝒳"]
      const shuffled = ["zebra", undefined, "Zebra", "9", "𝒳", "Äpfel", "apple", "10", "Apple", "\uffee"]
      const { ascending, descending } = yield* order("Texts", "text", shuffled)
      assert.deepStrictEqual(ascending, [...texts, undefined])
      assert.deepStrictEqual(descending, [...texts.toReversed(), undefined])
    })
  )

  it.effect("that is a timestamp are in the order of the instants", () =>
    Effect.gen(function* () {
      const instants = [
        "0001-01-01",
        "1969-12-31T23:59:59.999Z",
        "2024-02-29",
        "2024-02-29T01:00:00+00:30",
        "2024-02-29t00:30:00.5z",
        "2024-02-28T20:00-05:00",
        "2024-02-29 01:00:00.000001",
        "2024-03-01",
        "9999-12-31T23:59:59-23:59"
      ]
      const unfit = [
        "2023-02-29",
        "2024-04-31",
        "2024-13-01",
        "2024-1-1",
        "0000-01-01",
        "2024-01-01T24:00:00Z",
        "yesterday",
        "1700000000",
        "2024-01-01T00:00:00+25:00"
      ]
      const shuffled = [...unfit, ...instants.toReversed()]
      const { ascending, descending } = yield* order("Instants", "timestamp", shuffled)
      assert.deepStrictEqual(ascending, [...instants, ...unfit])
      assert.deepStrictEqual(descending, [...instants.toReversed(), ...unfit])
    })
  )

  it.effect("that is a boolean have false before true", () =>
    Effect.gen(function* () {
      const { ascending, descending } = yield* order("Booleans", "boolean", [
        "true",
        "maybe",
        "false",
        undefined,
        "FALSE",
        " True"
      ])
      assert.deepStrictEqual(ascending, ["false", "FALSE", "true", " True", "maybe", undefined])
      assert.deepStrictEqual(descending, ["true", " True", "false", "FALSE", "maybe", undefined])
    })
  )

  it.effect("follow its type when that changes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const slugs = yield* withValues("Retyped", "text", ["10", "9", "x"])
      const [ten, nine, x] = slugs
      assert.deepStrictEqual(yield* sorted("retyped", "Value"), [ten, nine, x])
      const child = (yield* guest.get("/nodes/retyped/children")).json.nodes[0]
      const { fid } = child.properties[0]
      yield* setChildFields(odin, "retyped", [{ fid, name: "Value", type: "number", sort: "" }])
      assert.deepStrictEqual(yield* sorted("retyped", "Value"), [nine, ten, x])
      assert.deepStrictEqual(yield* sorted("retyped", "-Value"), [ten, nine, x])
    })
  )
})

layer(People.layer)("children sorted by what every page has", (it) => {
  it.effect("are in the order of names, descriptions and addresses, equal ones by their ids", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Own fields", { visibility: "published" })
      const parent = "own-fields"
      for (const [slug, more] of [
        ["one", { name: "B", description: "y", url: "https://b.example/" }],
        ["two", { name: "A", description: "x" }],
        ["three", { name: "B", url: "https://a.example/" }],
        ["four", { name: "C", description: "x", url: "https://b.example/" }]
      ] as const) {
        yield* page(odin, slug, { slug, parent, visibility: "published", ...more })
      }
      for (const [sort, slugs] of [
        ["name", ["two", "one", "three", "four"]],
        ["-name", ["four", "one", "three", "two"]],
        ["description", ["two", "four", "one", "three"]],
        ["-description", ["one", "two", "four", "three"]],
        ["link", ["three", "one", "four", "two"]],
        ["-link", ["one", "four", "three", "two"]]
      ] as const) {
        assert.deepStrictEqual(yield* sorted(parent, sort), slugs, sort)
      }
      // A property of that name is not what they are sorted by.
      yield* setChildFields(odin, parent, [{ name: "name", type: "text", sort: "" }])
      assert.deepStrictEqual(yield* sorted(parent, "name"), ["two", "one", "three", "four"])
    })
  )

  it.effect("keep the order they are put into where there is no such field", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Manual", { visibility: "published" })
      const pages: Array<{ readonly id: string }> = []
      for (const name of ["First", "Second", "Third"]) {
        pages.push(yield* page(odin, name, { parent: "manual", visibility: "published" }))
      }
      yield* odin.patch("/nodes/third/position", { before: pages[0]?.id })
      for (const sort of [
        "",
        "nothing",
        "-nothing",
        "-",
        "--name",
        "Name",
        "position",
        "id; drop table nodes"
      ]) {
        assert.deepStrictEqual(yield* sorted("manual", sort), ["third", "first", "second"], sort)
      }
      // Fields of the page itself are not those of its children.
      yield* odin.patch("/nodes/manual/properties", {
        properties: [{ name: "Elsewhere", type: "number", value: "1" }]
      })
      assert.deepStrictEqual(yield* sorted("manual", "Elsewhere"), ["third", "first", "second"])
    })
  )

  it.effect("compare the beginnings of long texts", () =>
    Effect.gen(function* () {
      const long = "𝒳".repeat(255)
      const { ascending } = yield* order("Long", "text", [`${long}b`, `${long}a`, "𝒳", `${"𝒳".repeat(254)}a`])
      assert.deepStrictEqual(ascending, ["𝒳", `${"𝒳".repeat(254)}a`, `${long}b`, `${long}a`])
    })
  )
})

layer(People.layer)("values", (it) => {
  it.effect("of any length and script are stored, and have entries in the indexes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      // Text that cannot be compressed.
      const incompressible = Array.from({ length: 10_000 }, (_, n) =>
        String.fromCodePoint(0x20000 + ((n * 7919 + n * n * 31) % 40_000))
      ).join("")
      yield* page(odin, "Incompressible", {
        properties: [
          { name: "long", type: "text", value: incompressible },
          { name: "number", type: "number", value: `${"7".repeat(95)}e999` },
          { name: "small", type: "number", value: `0.${"7".repeat(93)}e-999`.slice(0, 100) },
          { name: "nines", type: "number", value: "9".repeat(100) }
        ]
      })
      const rows = yield* sql<{ readonly compared: string | null; readonly value: string }>`
        select as_number::text as compared, value from property_values where value ~ '^[0-9]'`
      assert.lengthOf(rows, 3)
      for (const { compared, value } of rows) assert.isNotNull(compared, value)
    })
  )
})
