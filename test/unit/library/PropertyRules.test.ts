import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { fieldsMax } from "../../../src/domain/library/LibraryLimits.ts"
import type { PropertyMutation, PropertySchema, PropertyType } from "../../../src/domain/library/Property.ts"
import {
  decideArrival,
  decideMove,
  decideProperties,
  decideSchema,
  type FieldsPlan
} from "../../../src/domain/library/PropertyRules.ts"
import { PropertyFieldId } from "../../../src/domain/shared/Id.ts"

const fid = (name: string) => PropertyFieldId.make(name.padEnd(20, "0"))

const field = (name: string, type: PropertyType = "text", sort = ""): PropertySchema => ({
  fid: fid(name),
  name,
  type,
  sort
})

const fields = [field("a", "text", "1"), field("b", "number", "2"), field("c", "boolean", "3")]
const none = new Set<PropertyFieldId>()
const sharing = (...names: ReadonlyArray<string>) => new Set(names.map(fid))

/** An entry that names a field, of which the rest stays as it is. */
const kept = (name: string, value = "", more: Partial<PropertyMutation> = {}): PropertyMutation => ({
  fid: fid(name),
  name: "",
  value,
  ...more
})

const fresh = (name: string, type: PropertyType = "text", value = ""): PropertyMutation => ({
  name,
  value,
  type
})

const untyped = (name: string, value = ""): PropertyMutation => ({ name, value })

const all = fields.map(({ name }) => kept(name, name))

/** Why a list is refused, by the name of the problem. */
const refusal = <A>(
  decided: Result.Result<A, { readonly _tag: string; readonly metadata: object }>
): readonly [string, object] =>
  Result.match(decided, {
    onSuccess: () => assert.fail("was accepted"),
    onFailure: ({ _tag, metadata }) => [_tag, metadata]
  })

const accepted = <A, E>(decided: Result.Result<A, E>): A =>
  Result.match(decided, { onSuccess: (plan) => plan, onFailure: (problem) => assert.fail(String(problem)) })

describe("the properties of a page", () => {
  it("set values and leave fields alone", () => {
    assert.deepStrictEqual(accepted(decideProperties(fields, all, false, "own")), {
      deleted: [],
      changed: [],
      added: [],
      values: [
        { fid: fid("a"), value: "a" },
        { fid: fid("b"), value: "b" },
        { fid: fid("c"), value: "c" }
      ]
    })
  })

  it("rename fields, give them another type or place, add some, and delete those that are left out", () => {
    const list = [
      kept("a", "1", { name: "z" }),
      kept("b", "2", { type: "text", sort: "9" }),
      { ...fresh("new", "timestamp", "3"), sort: "5" }
    ]
    assert.deepStrictEqual(accepted(decideProperties(fields, list, false, "own")), {
      deleted: [fid("c")],
      changed: [
        { fid: fid("a"), name: "z", type: "text", sort: "1" },
        { fid: fid("b"), name: "b", type: "text", sort: "9" }
      ],
      added: [{ name: "new", type: "timestamp", sort: "5", value: "3" }],
      values: [
        { fid: fid("a"), value: "1" },
        { fid: fid("b"), value: "2" }
      ]
    })
  })

  it("may exchange names, and reuse those of fields that are renamed", () => {
    const exchanged = [kept("a", "", { name: "b" }), kept("b", "", { name: "a" }), kept("c")]
    assert.lengthOf(accepted(decideProperties(fields, exchanged, false, "own")).changed, 2)
    const reused = [kept("a", "", { name: "z" }), kept("b"), kept("c"), fresh("a")]
    assert.lengthOf(accepted(decideProperties(fields, reused, false, "own")).added, 1)
    // The field that had the name is deleted.
    const taken = [kept("a", "", { name: "b" }), kept("c")]
    assert.deepStrictEqual(accepted(decideProperties(fields, taken, false, "own")).deleted, [fid("b")])
  })

  it.each([
    ["an unknown field", [kept("u"), ...all], "PropertyFieldUnknown", { fid: fid("u") }],
    ["a field twice", [...all, kept("b")], "PropertyFieldTwice", { fid: fid("b") }],
    [
      "an existing field by its name",
      [kept("a"), kept("b"), fresh("c")],
      "PropertyFieldIdMissing",
      { name: "c", fid: fid("c") }
    ],
    [
      "an existing field by its name and no type",
      [kept("a"), kept("b"), untyped("c")],
      "PropertyFieldIdMissing",
      { name: "c", fid: fid("c") }
    ],
    ["a new field without a type", [...all, untyped("new")], "PropertyTypeMissing", { name: "new" }],
    [
      "two new fields of one name",
      [...all, fresh("new"), fresh("new", "number")],
      "PropertyNameTaken",
      { name: "new" }
    ],
    ["a new field with the name of one that stays", [...all, fresh("a")], "PropertyNameTaken", { name: "a" }],
    [
      "a field with the new name of another",
      [kept("a", "", { name: "b" }), kept("b"), kept("c")],
      "PropertyNameTaken",
      { name: "b" }
    ]
  ] as const)("cannot name %s", (_, list, problem, metadata) => {
    assert.deepStrictEqual(refusal(decideProperties(fields, list, false, "own")), [problem, metadata])
  })

  it("have so many fields and no more", () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => fresh(`f${n}`))
    assert.lengthOf(accepted(decideProperties([], many(fieldsMax), false, "own")).added, fieldsMax)
    assert.deepStrictEqual(refusal(decideProperties([], many(fieldsMax + 1), false, "own")), [
      "TooManyPropertyFields",
      { maximum: fieldsMax }
    ])
    const list = many(fieldsMax)
    assert.lengthOf(accepted(decideProperties(fields, list, false, "own")).deleted, fields.length)
    // A new page deletes none, so that those that it leaves out count as well.
    assert.strictEqual(refusal(decideProperties(fields, list, true, "own"))[0], "TooManyPropertyFields")
  })

  it("of a new page take over fields by their names, and delete none", () => {
    const list = [untyped("a", "1"), { ...fresh("b", "number", "2"), sort: "elsewhere" }, fresh("new")]
    assert.deepStrictEqual(accepted(decideProperties(fields, list, true, "own")), {
      deleted: [],
      changed: [],
      added: [{ name: "new", type: "text", sort: "", value: "" }],
      values: [
        { fid: fid("a"), value: "1" },
        { fid: fid("b"), value: "2" }
      ]
    })
    assert.deepStrictEqual(refusal(decideProperties(fields, [fresh("a", "number")], true, "own")), [
      "PropertyFieldIdMissing",
      { name: "a", fid: fid("a") }
    ])
    assert.deepStrictEqual(refusal(decideProperties(fields, [fresh("a"), kept("a")], true, "own")), [
      "PropertyFieldTwice",
      { fid: fid("a") }
    ])
    assert.strictEqual(
      refusal(decideProperties(fields, [untyped("x")], true, "own"))[0],
      "PropertyTypeMissing"
    )
  })
})

describe("a list of all fields", () => {
  const entry = (name: string, more: Partial<PropertySchema> = {}) => ({ ...field(name), ...more })
  const unnamed = (name: string) => ({ name, type: "text", sort: "" }) as const

  it("updates those that it names, adds others, and deletes the rest", () => {
    const list = [entry("b", { name: "z", type: "boolean", sort: "0" }), unnamed("new"), unnamed("c")]
    assert.deepStrictEqual(accepted(decideSchema(fields, list, "own")), {
      deleted: [fid("a"), fid("c")],
      changed: [{ fid: fid("b"), name: "z", type: "boolean", sort: "0" }],
      added: [unnamed("new"), unnamed("c")]
    })
    assert.deepStrictEqual(accepted(decideSchema(fields, fields, "own")), {
      deleted: [],
      changed: [],
      added: []
    })
    assert.lengthOf(accepted(decideSchema(fields, [], "own")).deleted, 3)
  })

  it.each([
    ["an unknown field", [entry("u")], "PropertyFieldUnknown", { fid: fid("u") }],
    ["a field twice", [entry("a"), entry("a")], "PropertyFieldTwice", { fid: fid("a") }],
    ["one name twice", [unnamed("new"), unnamed("new")], "PropertyNameTaken", { name: "new" }],
    ["a name that a field keeps", [entry("a"), unnamed("a")], "PropertyNameTaken", { name: "a" }]
  ] as const)("cannot name %s", (_, list, problem, metadata) => {
    assert.deepStrictEqual(refusal(decideSchema(fields, list, "own")), [problem, metadata])
  })
})

describe("pages that move", () => {
  it("keep their values under fields of the same names, and bring those that are missing", () => {
    const there = [field("b", "text"), field("u")]
    assert.deepStrictEqual(
      accepted(
        decideMove(fields, [{ ...field("b2"), name: "b" }, ...there.slice(1)], sharing("a", "b"), "own")
      ),
      {
        known: [{ from: fid("b"), to: { ...field("b2"), name: "b" } }],
        added: [{ from: fid("a"), name: "a", type: "text", sort: "1" }]
      }
    )
    assert.deepStrictEqual(accepted(decideMove(fields, [], none, "own")), { known: [], added: [] })
  })

  it("do not bring more fields than there is room for", () => {
    const full = Array.from({ length: fieldsMax }, (_, n) => field(`f${n}`))
    assert.deepStrictEqual(refusal(decideMove(fields, full, sharing("a"), "own")), [
      "TooManyPropertyFields",
      { maximum: fieldsMax }
    ])
    accepted(decideMove(fields, full, none, "own"))
    accepted(decideMove(fields, full.slice(1), sharing("a"), "own"))
  })
})

describe("a list of a page that comes from another group", () => {
  const there = [{ ...field("b2", "text", "9"), name: "b" }, field("u")]
  const arrival = (...list: ReadonlyArray<PropertyMutation>) => decideArrival(fields, there, list)

  it("means the fields of the same names, which stay as they are", () => {
    const shown = { ...field("b", "number", "2"), value: "4" }
    for (const sent of [shown, kept("b", "4"), { fid: fid("b"), name: "b", value: "4" }]) {
      assert.deepStrictEqual(arrival(sent), [kept("b2", "4")])
    }
  })

  it("changes of these what it changes of those that the page had", () => {
    assert.deepStrictEqual(arrival(kept("b", "", { name: "x", type: "boolean", sort: "7" })), [
      kept("b2", "", { name: "x", type: "boolean", sort: "7" })
    ])
  })

  it("adds fields that are missing, if it has values for them", () => {
    assert.deepStrictEqual(arrival(kept("a", "1"), kept("c")), [
      { name: "a", type: "text", sort: "1", value: "1" }
    ])
    assert.deepStrictEqual(arrival(kept("a", "1", { name: "x", type: "number", sort: "8" })), [
      { name: "x", type: "number", sort: "8", value: "1" }
    ])
  })

  it("says all else as it is", () => {
    const rest = [kept("u", "1"), kept("b2", "2", { name: "y" }), fresh("n"), untyped("m"), kept("v")]
    assert.deepStrictEqual(arrival(...rest), rest)
  })
})

describe("any list", () => {
  const types = ["text", "number", "timestamp", "boolean"] as const
  const name = fc.constantFrom("a", "b", "c", "d")
  const groups = fc
    .uniqueArray(fc.tuple(name, fc.constantFrom(...types), fc.constantFrom("", "1")), {
      selector: ([name]) => name
    })
    .map((all) => all.map(([name, type, sort]) => field(name, type, sort)))
  const optional = <Key extends string, A>(key: Key, value: fc.Arbitrary<A>) =>
    fc.oneof(fc.constant({}), fc.record({ [key]: value } as { readonly [K in Key]: fc.Arbitrary<A> }))
  const mutations = fc.array(
    fc
      .tuple(
        fc.record({ name, value: fc.constantFrom("", "x") }),
        optional("fid", name.map(fid)),
        optional("type", fc.constantFrom(...types)),
        optional("sort", fc.constantFrom("", "1"))
      )
      .map(([entry, fid, type, sort]): PropertyMutation => ({ ...entry, ...fid, ...type, ...sort })),
    { maxLength: 5 }
  )

  /** The fields once a plan is carried out. */
  const carriedOut = (before: ReadonlyArray<PropertySchema>, { added, changed, deleted }: FieldsPlan) => [
    ...before
      .filter(({ fid }) => !deleted.includes(fid))
      .map((field) => changed.find(({ fid }) => fid === field.fid) ?? field),
    ...added
  ]

  it("that is accepted leaves fields of different names: those that it names, and all if the page is new", () => {
    fc.assert(
      fc.property(groups, mutations, fc.boolean(), (before, list, isNew) => {
        const decided = decideProperties(before, list, isNew, "own")
        if (Result.isFailure(decided)) return
        const plan = decided.success
        const fields = carriedOut(before, plan)
        assert.lengthOf(new Set(fields.map(({ name }) => name)), fields.length)
        const isNamed = (field: PropertySchema) => list.some(({ fid }) => fid === field.fid)
        assert.sameMembers(
          [...plan.deleted],
          isNew ? [] : before.filter((field) => !isNamed(field)).map(({ fid }) => fid)
        )
        for (const { fid } of plan.changed) assert.isTrue(list.some((entry) => entry.fid === fid))
        // Every value has a field that stays.
        for (const { fid } of plan.values) assert.notInclude(plan.deleted, fid)
        assert.lengthOf([...plan.values, ...plan.added], list.length)
      })
    )
  })

  it("of fields replaces them all, and once more changes nothing", () => {
    const entries = mutations.map((list) =>
      list.map(({ fid, name, sort = "", type = "text" }) => ({
        name,
        type,
        sort,
        ...(fid === undefined ? {} : { fid })
      }))
    )
    fc.assert(
      fc.property(groups, entries, (before, list) => {
        const decided = decideSchema(before, list, "own")
        if (Result.isFailure(decided)) return
        const plan = decided.success
        const made = carriedOut(before, plan)
        assert.sameDeepMembers(
          made.map(({ name, sort, type }) => ({ name, sort, type })),
          list.map(({ name, sort, type }) => ({ name, sort, type }))
        )
        const stored = made.map((field, n) => ({ fid: fid(`n${n}`), ...field }))
        assert.deepStrictEqual(accepted(decideSchema(stored, stored, "own")), {
          deleted: [],
          changed: [],
          added: []
        })
      })
    )
  })
})
