/** `docs/export-format.schema.json` says what the program reads and writes; `npm run export-format` writes it again. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { importedKinds, kinds } from "../../../src/domain/exchange/Kinds.ts"
import { jsonSchema } from "../../../tools/export-format/jsonSchema.ts"

const docs = join(import.meta.dirname, "../../../docs")

describe("the JSON Schema of exports", () => {
  it("is up to date", async ({ expect }) => {
    await expect(`${JSON.stringify(jsonSchema, undefined, 2)}\n`).toMatchFileSnapshot(
      join(docs, "export-format.schema.json")
    )
  })

  it("takes what is right, and nothing else", () => {
    const ajv = formats.default(new Ajv2020({ allErrors: true }))
    ajv.addSchema(jsonSchema, "export")
    const isValid = ajv.getSchema("export#/$defs/likes")
    const like = {
      id: "dc0qdu7khh6uivg0009g",
      created_at: "2026-11-26T09:30:00.123456Z",
      post_id: "dc0qdu7khh6uivg0009h",
      account_id: "dc0qdu7khh6uivg0009i"
    }
    assert.isTrue(isValid?.(like))
    const { account_id: _, ...lacking } = like
    const wrong = [
      lacking,
      { ...like, token: "x" },
      { ...like, id: "1" },
      { ...like, created_at: "2026-11-26T09:30:00+01:00" },
      { ...like, created_at: "2026-11-26" }
    ]
    assert.deepStrictEqual(
      wrong.filter((record) => isValid?.(record)),
      []
    )
  })
})

describe("the page about exports", () => {
  it("has a row for each kind, in their order", () => {
    const page = readFileSync(join(docs, "export-format.md"), "utf8")
    const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (.+) \|$/gm)].map(([, kind, about]) => [kind, about])
    assert.deepStrictEqual(
      rows,
      Object.entries({ ...kinds, ...importedKinds }).map(([kind, { about }]) => [kind, about])
    )
  })
})
