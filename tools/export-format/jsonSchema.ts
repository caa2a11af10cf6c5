/** `docs/export-format.schema.json`: the JSON Schema of exports, from the schemas of the program. */
import { Schema } from "effect"
import { importedKinds, kinds } from "../../src/domain/exchange/Kinds.ts"
import { Contents, Manifest, version } from "../../src/domain/exchange/Manifest.ts"

const described = {
  manifest: { record: Manifest, about: "`manifest.json`" },
  contents: { record: Contents, about: "`contents.json`" },
  ...kinds,
  ...importedKinds
}

type Json = Schema.Json

const isObject = (json: Json): json is { readonly [key: string]: Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** Parts of a schema that say different things, as one. */
const merged = (json: Json): Json => {
  if (Array.isArray(json)) return json.map(merged)
  if (!isObject(json)) return json
  const { allOf, ...own } = Object.fromEntries(
    Object.entries(json).map(([name, inner]) => [name, merged(inner)])
  )
  if (!Array.isArray(allOf)) return allOf === undefined ? own : { ...own, allOf }
  const said = new Map(Object.entries(own))
  for (const [name, inner] of allOf.flatMap((part) => Object.entries(isObject(part) ? part : {}))) {
    // What is said of a field where it stands counts more than what is said of all such.
    if (said.has(name) && name !== "description") throw new Error(`A schema says ${name} twice`)
    said.set(name, inner)
  }
  return Object.fromEntries(said)
}

const schemaOf = (record: Schema.Constraint) => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(record, { onExcessProperty: "error" })
  if (Object.keys(definitions).length > 0) throw new Error("A record is described by parts with names")
  const json = merged(JSON.parse(JSON.stringify(schema)))
  if (!isObject(json)) throw new Error("A record is anything")
  return json
}

/** Each kind is one of `$defs`, by its name. */
export const jsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: `urn:forum-export:${version}`,
  title: `Exports of forum-service, version ${version}`,
  description: "Each line of a file of a kind is as the definition of that name says.",
  $defs: Object.fromEntries(
    Object.entries(described).map(([name, { about, record }]) => [
      name,
      { description: about, ...schemaOf(record) }
    ])
  )
}
