import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { changeNames } from "../../../src/domain/change/Changes.ts"
import { isDeeper, storedSize } from "../../../src/domain/plugin/ManifestReading.ts"
import {
  argumentsMax,
  eventsMax,
  fieldsMax,
  linksMax,
  manifestMax,
  permissionsMax,
  readManifest,
  readManifestBytes
} from "../../../src/domain/plugin/PluginManifest.ts"
import { least } from "../../plugin/manifest.ts"

const access = { handle: "hello", name: "Hello", permissions: ["CREATE_POST"] }

const fieldOf = (...fields: ReadonlyArray<object>) => ({ configuration_schema: { fields } })

const read = (manifest: object) => Result.getOrThrow(readManifest(manifest))

const issuesOf = (manifest: unknown) => {
  const result = readManifest(manifest)
  return Result.isFailure(result) ? result.failure : expect.fail("it was read")
}

const fieldsOf = (manifest: unknown) => issuesOf(manifest).map(({ field }) => field)

/** An object in an object and so on. */
const deep = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}

const repeated = <A>(count: number, one: A) => Array.from({ length: count }, () => one)

describe("a manifest", () => {
  it("is what it says, with every field that is known", () => {
    const full = {
      ...least,
      args: ["--quiet", ""],
      events_consumed: [...changeNames],
      access: {
        ...access,
        bio: "A bot",
        links: [{ text: "Source", url: "https://code.example/hello" }],
        metadata: { deep: { list: [1, null, "x"] } }
      },
      configuration_schema: {
        fields: [
          { id: "word", label: "Word", description: "What to say", type: "string", default: "Hi" },
          { id: "times", label: "Times", description: "How often", type: "number", default: 2.5 },
          { id: "loud", label: "Loud", description: "Whether to shout", type: "boolean", default: false }
        ]
      }
    }
    expect(read(full)).toEqual(full)
  })

  it.each([
    ["unknown fields", { more: 1, access: { ...access, more: 1 } }, { access }],
    ["what is null", { args: null, access: null, capabilities: null }, {}],
    ["white space around a name", { name: " Hello\n" }, {}],
    ["what nobody sees in a version", { version: "1.0.0\u202e" }, {}]
  ])("is read without %s", (_, more, expected) => {
    expect(read({ ...least, ...more })).toEqual({ ...least, ...expected })
  })

  it("may lack a description, a version and a command", () => {
    const { author, id, name } = least
    expect(read({ id, name, author })).toEqual({
      id,
      name,
      author,
      description: "",
      version: "",
      command: ""
    })
  })

  it("gives fields of the configuration a label and a description", () => {
    expect(read({ ...least, ...fieldOf({ id: "word", type: "string" }) })).toEqual({
      ...least,
      ...fieldOf({ id: "word", label: "", description: "", type: "string" })
    })
    expect(read({ ...least, configuration_schema: {} })).toEqual({ ...least, ...fieldOf() })
  })

  it("asks for no permissions where it names none", () => {
    const { permissions: _, ...without } = access
    expect(read({ ...least, access: without }).access).toEqual({ ...without, permissions: [] })
  })

  it.each([
    [
      {
        Scheme: "https",
        Opaque: "",
        User: null,
        Host: "a.example",
        Path: "/b c",
        RawQuery: "d=e",
        Fragment: "f"
      },
      "https://a.example/b%20c?d=e#f"
    ],
    [{ Scheme: "http", Host: "a.example" }, "http://a.example"],
    ["https://a.example/?q=ä", "https://a.example/?q=ä"]
  ])("has a link to %j", (url, expected) => {
    const links = [{ text: "A", url }]
    expect(read({ ...least, access: { ...access, links } }).access?.links).toEqual([
      { text: "A", url: expected }
    ])
  })

  it.each<[object, ReadonlyArray<string>]>([
    [{ id: undefined, name: undefined, author: null }, ["id", "name", "author"]],
    [{ id: 1, name: {}, author: [] }, ["id", "name", "author"]],
    [{ id: "" }, ["id"]],
    [{ id: "-a" }, ["id"]],
    [{ id: "a-" }, ["id"]],
    [{ id: "a_b" }, ["id"]],
    [{ id: "a b" }, ["id"]],
    [{ id: "a\n" }, ["id"]],
    [{ id: "ä" }, ["id"]],
    [{ id: "a".repeat(101) }, ["id"]],
    [{ name: "" }, ["name"]],
    [{ name: " \u200b " }, ["name"]],
    [{ name: "a".repeat(101) }, ["name"]],
    [{ name: "a\0" }, ["name"]],
    [{ name: "\ud800" }, ["name"]],
    [{ author: "Odin Allfather" }, ["author"]],
    [{ description: 1 }, ["description"]],
    [{ description: "a".repeat(10_001) }, ["description"]],
    [{ version: "1".repeat(101) }, ["version"]],
    [{ version: 1 }, ["version"]],
    [{ command: "a".repeat(4097) }, ["command"]],
    [{ command: "a\0b" }, ["command"]],
    [{ args: "a" }, ["args"]],
    [{ args: ["a", 1, null] }, ["args.1", "args.2"]],
    [{ args: repeated(argumentsMax + 1, "a") }, ["args"]],
    [{ args: ["a".repeat(4097)] }, ["args.0"]],
    [{ events_consumed: ["EventThreadPublished", "EventNothing"] }, ["events_consumed.1"]],
    [{ events_consumed: repeated(eventsMax + 1, "EventThreadPublished") }, ["events_consumed"]],
    [{ access: [] }, ["access"]],
    [{ access: {} }, ["access.handle", "access.name"]],
    [{ access: { ...access, name: " " } }, ["access.name"]],
    [{ access: { ...access, handle: "a".repeat(101) } }, ["access.handle"]],
    [{ access: { ...access, permissions: "CREATE_POST" } }, ["access.permissions"]],
    [{ access: { ...access, permissions: [1] } }, ["access.permissions.0"]],
    [{ access: { ...access, permissions: repeated(permissionsMax + 1, "A") } }, ["access.permissions"]],
    [{ access: { ...access, permissions: ["A".repeat(101)] } }, ["access.permissions.0"]],
    [{ access: { ...access, bio: "a".repeat(10_001) } }, ["access.bio"]],
    [{ access: { ...access, links: [{}] } }, ["access.links.0.text", "access.links.0.url"]],
    [{ access: { ...access, links: ["https://a.example"] } }, ["access.links.0"]],
    [{ access: { ...access, links: [{ text: "a", url: "javascript:alert(1)" }] } }, ["access.links.0.url"]],
    [
      { access: { ...access, links: [{ text: "a", url: { Scheme: "file", Path: "/etc" } }] } },
      ["access.links.0.url"]
    ],
    [{ access: { ...access, links: [{ text: "a", url: {} }] } }, ["access.links.0.url"]],
    [
      { access: { ...access, links: [{ text: "a", url: `https://a.example/${"b".repeat(2000)}` }] } },
      ["access.links.0.url"]
    ],
    [
      { access: { ...access, links: repeated(linksMax + 1, { text: "a", url: "https://a.example" }) } },
      ["access.links"]
    ],
    [{ access: { ...access, metadata: [] } }, ["access.metadata"]],
    [{ access: { ...access, metadata: { "a\0": 1 } } }, ["access.metadata"]],
    [{ access: { ...access, metadata: { a: ["\ud800"] } } }, ["access.metadata"]],
    [{ access: { ...access, metadata: { a: "b".repeat(65_536) } } }, ["access.metadata"]],
    [{ access: { ...access, metadata: { a: repeated(300, 1e300) } } }, ["access.metadata"]],
    [{ configuration_schema: [] }, ["configuration_schema"]],
    [{ configuration_schema: { fields: {} } }, ["configuration_schema.fields"]],
    [fieldOf({}), ["configuration_schema.fields.0.id", "configuration_schema.fields.0.type"]],
    [fieldOf({ id: "a", type: "date" }), ["configuration_schema.fields.0.type"]],
    [fieldOf({ id: "a", type: "string", default: 1 }), ["configuration_schema.fields.0.default"]],
    [fieldOf({ id: "a", type: "number", default: "1" }), ["configuration_schema.fields.0.default"]],
    [fieldOf({ id: "a", type: "boolean", default: 0 }), ["configuration_schema.fields.0.default"]],
    [
      fieldOf({ id: "a", type: "string", label: 1, description: 2 }),
      ["configuration_schema.fields.0.label", "configuration_schema.fields.0.description"]
    ],
    [fieldOf({ id: "a", type: "string" }, { id: "a", type: "number" }), ["configuration_schema.fields.1"]],
    [fieldOf(...repeated(fieldsMax + 1, { id: "a", type: "string" })), ["configuration_schema.fields"]],
    [
      { id: "!", name: "", args: [1], access: { name: "a" }, ...fieldOf({ id: "a", type: "date" }) },
      ["args.0", "access.handle", "configuration_schema.fields.0.type", "id", "name"]
    ]
  ])("breaks a rule (%#)", (more, fields) => {
    expect(fieldsOf({ ...least, ...more })).toEqual(fields)
  })

  it.each([null, undefined, "text", 1, [], true])("is not %j", (value) => {
    expect(fieldsOf(value)).toEqual([""])
  })

  it("is not nested too deep", () => {
    expect(read({ ...least, access: { ...access, metadata: deep(60) } }).access?.metadata).toEqual(deep(60))
    expect(fieldsOf({ ...least, access: { ...access, metadata: deep(64) } })).toEqual([""])
    const levels = 150_000
    const bytes = new TextEncoder().encode(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`)
    expect(readManifestBytes(bytes)).toMatchObject(Result.fail([{ field: "" }]))
  })

  it("has a megabyte at most as it is stored", () => {
    const tool = (id: number) => ({
      id: `t${id}`,
      name: "T",
      description: "",
      input_schema: { type: "object", x: "y".repeat(65_000) }
    })
    const capability = {
      type: "robot.tool_provider",
      id: "a",
      version: "1",
      tools: [...Array(17).keys()].map(tool)
    }
    expect(fieldsOf({ ...least, capabilities: [capability] })).toEqual([""])
  })
})

describe("the bytes of a manifest", () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text)

  it("are JSON in UTF-8, with a mark of the order of bytes or without", () => {
    expect(readManifestBytes(bytesOf(JSON.stringify(least)))).toEqual(Result.succeed(least))
    expect(readManifestBytes(bytesOf(`\ufeff${JSON.stringify(least)}`))).toEqual(Result.succeed(least))
  })

  it.each([
    ["nothing", new Uint8Array()],
    ["half of it", bytesOf(JSON.stringify(least).slice(0, -1))],
    ["another encoding", new Uint8Array([0x7b, 0xff, 0x7d])],
    ["two of them", bytesOf("{}{}")]
  ])("are not %s", (_, bytes) => {
    expect(readManifestBytes(bytes)).toEqual(Result.fail("malformed"))
  })

  it("name what is wrong with it", () => {
    expect(readManifestBytes(bytesOf("{}"))).toMatchObject(
      Result.fail([{ field: "id" }, { field: "name" }, { field: "author" }])
    )
  })
})

const text = (max: number) => fc.string({ unit: "binary", maxLength: max })

const manifests = fc.record(
  {
    id: fc.stringMatching(/^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,20}[a-zA-Z0-9])?$/),
    name: text(30),
    author: fc.constant("odin"),
    description: text(60),
    version: text(10),
    command: text(30),
    args: fc.array(text(10), { maxLength: 5 }),
    events_consumed: fc.subarray([...changeNames]),
    access: fc.record(
      {
        handle: text(20),
        name: text(20),
        permissions: fc.array(text(10)),
        bio: text(20),
        links: fc.array(fc.record({ text: text(9), url: fc.oneof(fc.webUrl(), text(9)) })),
        metadata: fc.dictionary(text(5), fc.jsonValue())
      },
      { requiredKeys: ["handle", "name"] }
    ),
    configuration_schema: fc.record({
      fields: fc.array(
        fc.record(
          {
            id: text(9),
            label: text(9),
            description: text(9),
            type: fc.constantFrom("string", "number", "boolean"),
            default: fc.jsonValue()
          },
          { requiredKeys: ["id", "type"] }
        )
      )
    })
  },
  { requiredKeys: ["id", "name", "author"] }
)

describe("any manifest", () => {
  it("that was read is the same when it is written and read again", () => {
    let taken = 0
    fc.assert(
      fc.property(manifests, (manifest) => {
        const first = readManifest(manifest)
        if (Result.isFailure(first)) return
        taken += 1
        // As text, which knows no other zero than 0.
        const written = JSON.stringify(first.success)
        const again = readManifest(JSON.parse(written))
        expect(Result.map(again, (manifest) => JSON.stringify(manifest))).toEqual(Result.succeed(written))
      }),
      { numRuns: 3000 }
    )
    expect(taken).toBeGreaterThan(100)
  })

  it("is read or refused, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const result = readManifest(value)
        if (Result.isFailure(result)) expect(result.failure.length).toBeGreaterThan(0)
      }),
      { numRuns: 1000 }
    )
  })

  it("takes no more room than is said, where numbers have exponents", () => {
    const values: ReadonlyArray<[unknown, string]> = [
      [1e300, `1${"0".repeat(300)}`],
      [1.5e-10, "0.00000000015"],
      [{ a: [1, "ä", true] }, '{"a": [1, "ä", true]}']
    ]
    for (const [value, stored] of values)
      expect(storedSize(value)).toBeGreaterThanOrEqual(Buffer.byteLength(stored))
  })

  it("is looked at no deeper than it may be", () => {
    expect([isDeeper(1, 0), isDeeper({}, 0), isDeeper(deep(3), 3), isDeeper(deep(4), 3)]).toEqual([
      false,
      true,
      false,
      true
    ])
  })

  it("is read in little time, however many rules it breaks", () => {
    const tools = repeated(256, {})
    const worst = { capabilities: repeated(32, { type: "robot.tool_provider", tools }) }
    const before = process.cpuUsage()
    expect(issuesOf(worst).length).toBeGreaterThan(10_000)
    const { system, user } = process.cpuUsage(before)
    expect((system + user) / 1000).toBeLessThan(500)
  })

  it(`has ${manifestMax} bytes at most`, () => {
    expect(manifestMax).toBe(1024 * 1024)
  })
})
