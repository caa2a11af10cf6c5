/** The orders of the children of a page. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { idsOf, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, query } from "../support/people.ts"
import { childrenOf, manager, page, setChildFields } from "./propertySupport.ts"

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
        // A leap second, between the second before it and the next day.
        "2017-01-01T00:59:59.9+01:00",
        "2016-12-31T23:59:60Z",
        "2017-01-01",
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
        "2016-12-31T23:59:61Z",
        "2016-12-31T23:60:00Z",
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

layer(People.layer)("pages of children sorted by a property", (it) => {
  interface Child {
    readonly id: string
    readonly visibility: string
    readonly value: string | undefined
  }

  const idOf = (n: number) => `v${String(n).padStart(18, "0")}0`

  /** Every third has no value, every fifth one that does not fit, and the same number is that of several. */
  const valueOf = (n: number) =>
    n % 3 === 0 ? undefined : n % 5 === 0 ? "none" : String((((n >> 2) * 17) % 41) - 20)

  const children = (first: number, count: number, visibilityOf: (n: number) => string) =>
    Array.from({ length: count }, (_, index): Child => {
      const n = first + index
      return { id: idOf(n), visibility: visibilityOf(n), value: valueOf(n) }
    })

  const insert = Effect.fnUntraced(function* (owner: Person, parent: string, made: ReadonlyArray<Child>) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into nodes (id, created_at, updated_at, owner_id, parent_id, position, name, slug, visibility)
      select id, 'epoch', 'epoch', ${owner.id}, ${parent}, reverse(id) || '1', id, id, visibility
      from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) child (id text, visibility text)`
  })

  const insertValues = Effect.fnUntraced(function* (fid: string, made: ReadonlyArray<Child>) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into property_values (node_id, fid, value, search)
      select id, ${fid}, value, value from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) child (id text, value text)
      where value is not null`
  })

  const inOrder = (made: ReadonlyArray<Child>, descending: boolean) => {
    const keyOf = ({ value }: Child) => (value === undefined || value === "none" ? undefined : Number(value))
    return made
      .toSorted((a, b) => {
        const [x, y] = [keyOf(a), keyOf(b)]
        const byId = a.id < b.id ? -1 : 1
        if (x === y) return byId
        if (x === undefined) return 1
        if (y === undefined) return -1
        return descending ? y - x : x - y
      })
      .map(({ id }) => id)
  }

  it.effect("follow each other without doubles and gaps, whatever is hidden and has no value", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const staff = yield* manager
      const { id } = yield* page(odin, "Long", { visibility: "published" })
      const made = children(0, 390, (n) => (n % 7 === 0 ? "draft" : n % 11 === 0 ? "review" : "published"))
      yield* insert(freya, id, made)
      const [field] = ok(
        yield* setChildFields(odin, id, [{ name: "Number", type: "number", sort: "1" }])
      ).properties
      yield* insertValues(field.fid, made)
      // More than are compared one by one, all of them hidden from most.
      const drafts = children(1000, 700, () => "draft")
      const check = Effect.fnUntraced(function* (all: ReadonlyArray<Child>) {
        for (const [viewer, sees] of [
          [guest, ["published"]],
          [staff, ["published", "review"]],
          [freya, ["published", "review", "draft"]]
        ] as const) {
          const seen = all.filter(({ visibility }) => sees.some((one) => one === visibility))
          const pages = Math.ceil(seen.length / 100)
          for (const sort of ["Number", "-Number"]) {
            const listed: Array<string> = []
            for (let number = 1; number <= pages + 1; number++) {
              const search = query({ children_sort: sort, page: String(number) })
              const { nodes, ...envelope } = ok(yield* viewer.get(`/nodes/long/children${search}`))
              const results = Math.min(100, Math.max(0, seen.length - (number - 1) * 100))
              assert.deepInclude(envelope, { results, total_pages: pages, current_page: number })
              if (number === 2) {
                const embedded = ok(yield* viewer.get(`/nodes/long${search}`)).children
                assert.deepStrictEqual(idsOf(embedded), idsOf(nodes))
              }
              listed.push(...idsOf(nodes))
            }
            assert.deepStrictEqual(listed, inOrder(seen, sort === "-Number"), sort)
          }
        }
      })
      yield* check(made)
      yield* insert(freya, id, drafts)
      yield* insertValues(field.fid, drafts)
      yield* check([...made, ...drafts])
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
