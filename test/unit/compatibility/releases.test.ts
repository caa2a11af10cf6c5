/** The API does what the last release promised, or says that it does not. docs/compatibility.md has the rules. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import manifest from "../../../package.json" with { type: "json" }
import {
  type Json,
  type JsonObject,
  mapObjects,
  objectAt,
  textAt,
  without
} from "../../../src/http/document/Json.ts"
import { openEnums } from "../../../tools/compatibility/OpenEnums.ts"
import { breaksBetween } from "../../../tools/compatibility/Operations.ts"
import {
  accepted,
  baseOf,
  changelog,
  describedNow,
  descriptionOf,
  isLater,
  isReleased,
  keptVersions,
  mayBreak,
  versionsOf
} from "../../../tools/compatibility/Releases.ts"

const last = baseOf(keptVersions(), changelog()) ?? assert.fail("docs/openapi has no description")
const base = descriptionOf(last)
const now = describedNow()
const textOf = ({ at, what }: { readonly at: string; readonly what: string }) => `${at}: ${what}`

describe("the API", () => {
  it("keeps the promises of the last release, but for what docs/openapi/breaking.json accepts", () => {
    const found = [...new Set(breaksBetween(base, now).map(textOf))]
    assert.deepStrictEqual(
      found,
      accepted(),
      isReleased(last, changelog())
        ? `This breaks clients of ${last}: see docs/releasing.md, Breaking changes`
        : "This changes what was promised: `npm run openapi` writes it down, and CHANGELOG.md tells of it"
    )
  })

  it("breaks no promise that its version keeps", () => {
    assert.isFalse(isLater(last, manifest.version), `${last} is later than ${manifest.version}`)
    if (!mayBreak(manifest.version, last)) assert.isEmpty(accepted())
  })

  it("from 1.0.0 on ends nothing that was not called deprecated before", () => {
    if (isLater("1.0.0", last)) return
    const sudden = breaksBetween(base, now).filter(
      ({ announced, what }) => !announced && / no more$/.test(what)
    )
    assert.deepStrictEqual(sudden.map(textOf), [])
  })

  it("has the description of each release as it was, with its version", () => {
    for (const version of keptVersions()) {
      assert.strictEqual(textAt(objectAt(descriptionOf(version), "info"), "version"), version)
    }
    const released = [...changelog().matchAll(/^## \[?(\d+\.\d+\.\d+)/gm)].map(([, version = ""]) => version)
    assert.includeMembers([...keptVersions()], released)
  })

  it("has each enumeration that grows, and the page about compatibility names them", () => {
    const schemas = objectAt(objectAt(now, "components"), "schemas")
    assert.deepStrictEqual(
      openEnums.filter(
        (name) => !("enum" in objectAt(schemas, name)) && !("anyOf" in objectAt(schemas, name))
      ),
      []
    )
    const page = readFileSync("docs/compatibility.md", "utf8")
    const named = [...page.matchAll(/^- `(\w+)`: /gm)].map(([, name]) => name)
    assert.deepStrictEqual(named, [...openEnums])
  })
})

describe("the comparison", () => {
  const schemas = objectAt(objectAt(base, "components"), "schemas")
  const withSchemas = (changed: JsonObject): JsonObject => ({ ...base, components: { schemas: changed } })

  it("reaches each schema with fields, wherever it is used", () => {
    // Neither what leads to other schemas, nor what tells one kind of object from another.
    const isPlain = (property: Json) => !/"(?:\$ref|const|enum)"/.test(JSON.stringify(property))
    const lost = new Map(
      Object.entries(schemas).flatMap(([name, schema]): ReadonlyArray<readonly [string, string]> => {
        const field = Object.entries(objectAt(schema, "properties")).find(([, property]) => isPlain(property))
        return field === undefined ? [] : [[name, field[0]]]
      })
    )
    const next = withSchemas(
      mapObjects(schemas, (schema, name) => {
        const field = lost.get(name)
        return field === undefined
          ? schema
          : { ...schema, properties: without(objectAt(schema, "properties"), field) }
      })
    )
    const found = new Set(breaksBetween(base, next).map(({ at }) => at))
    const unreached = [...lost].filter(
      ([name, field]) => !found.has(`${name} (request).${field}`) && !found.has(`${name} (answer).${field}`)
    )
    assert.isAbove(lost.size, 400)
    assert.deepStrictEqual(unreached, [])
  })

  it("finds that each operation is gone", () => {
    assert.lengthOf(breaksBetween(base, { ...base, paths: {} }), 253)
  })
})

describe("a version", () => {
  it.each([
    ["0.1.0", "0.1.0", false],
    ["0.1.1", "0.1.0", false],
    ["0.2.0", "0.1.9", true],
    ["1.0.0", "0.9.0", true],
    ["1.1.0", "1.0.0", false],
    ["1.0.1", "1.0.0", false],
    ["2.0.0", "1.9.9", true]
  ])("%s may break clients of %s: %s", (version, earlier, expected) => {
    assert.strictEqual(mayBreak(version, earlier), expected)
  })

  it("is later by its numbers", () => {
    assert.isTrue(isLater("0.10.0", "0.9.9"))
    assert.isFalse(isLater("0.9.9", "0.10.0"))
    assert.isFalse(isLater("1.0.0", "1.0.0"))
  })

  it("is the last by its numbers, among the files that have descriptions", () => {
    const files = ["0.9.1.json", "1.0.0.json", "0.10.0.json", "0.9.10.json", "breaking.json", "0.1.json"]
    assert.deepStrictEqual(versionsOf(files), ["0.9.1", "0.9.10", "0.10.0", "1.0.0"])
  })

  it("is the base once it was released, and not before, unless none was", () => {
    const kept = ["0.1.0", "0.2.0", "0.3.0"]
    assert.strictEqual(
      baseOf(kept, "## Unreleased\n\n## 0.2.0 - 2027-02-01\n\n## 0.1.0 - 2027-01-01\n"),
      "0.2.0"
    )
    assert.strictEqual(baseOf(kept, "## Unreleased\n"), "0.3.0")
    assert.isUndefined(baseOf([], ""))
  })

  it("was released once the changelog says when", () => {
    assert.isFalse(isReleased("0.1.0", "## Unreleased\n\n## 0.1.0.1\n"))
    assert.isFalse(isReleased("0.1.0", "## 0.1.01 - 2027-01-01"))
    assert.isTrue(isReleased("0.1.0", "## Unreleased\n\n## 0.1.0 - 2027-01-01\n"))
    assert.isTrue(isReleased("0.1.0", "## [0.1.0] - 2027-01-01\n"))
  })
})
