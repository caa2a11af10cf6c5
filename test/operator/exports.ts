/** Exports of databases, and what is in them. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { Effect, Result, Schema } from "effect"
import { kinds } from "../../src/domain/exchange/Kinds.ts"
import { makeExport } from "../../src/operator/exchange/export.ts"
import { jsonSchema } from "../../tools/export-format/jsonSchema.ts"
import { type Env, quiet, surroundings, unpacked } from "./backups.ts"

interface Options {
  readonly withAddresses?: boolean
}

export const exportTo = (env: Env, target: string, { withAddresses = false }: Options = {}) =>
  Effect.provide(makeExport(target, quiet, { withAddresses }), surroundings(env))

export type Files = ReadonlyMap<string, Buffer>

/** The files of an export, in the order of their names. */
export const filesIn = (directory: string) =>
  Effect.promise(async (): Promise<Files> => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    const names = entries
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name).slice(directory.length + 1))
    const read = async (name: string) => [name, await readFile(join(directory, name))] as const
    return new Map(await Promise.all(names.toSorted().map(read)))
  })

/** The files of an export that is an archive, in its order. */
export const filesOfArchive = (file: string) =>
  Effect.map(unpacked(file), (members): Files => new Map(members.map(({ bytes, name }) => [name, bytes])))

export interface Line {
  readonly kind: string
  readonly record: unknown
}

/** The records of an export. */
export const recordsIn = (files: Files): ReadonlyArray<Line> =>
  [...files].flatMap(([name, bytes]) => {
    const [, kind] = /^([a-z_]+)\/\d{6}\.ndjson$/.exec(name) ?? []
    if (kind === undefined) return []
    return bytes
      .toString("utf8")
      .trimEnd()
      .split("\n")
      .map((line): Line => ({ kind, record: JSON.parse(line) }))
  })

const schemas = formats.default(new Ajv2020())
schemas.addSchema(jsonSchema, "export")

/** What the JSON Schema of exports finds wrong with records. */
export const schemaErrors = (lines: ReadonlyArray<Line>) =>
  lines.flatMap(({ kind, record }) => {
    const isValid = schemas.getSchema(`export#/$defs/${kind}`)
    if (isValid === undefined) return [`${kind} is described nowhere`]
    return isValid(record)
      ? []
      : [`${kind}: ${schemas.errorsText(isValid.errors)}: ${JSON.stringify(record)}`]
  })

/** What the schemas of the program find wrong with records, keys that they do not know among it. */
export const undescribed = (lines: ReadonlyArray<Line>) =>
  lines.flatMap(({ kind, record }) => {
    const known = Object.entries(kinds).find(([name]) => name === kind)
    if (known === undefined) return [`${kind} is no kind`]
    const decoded = Schema.decodeUnknownResult(known[1].record, { onExcessProperty: "error" })(record)
    return Result.isFailure(decoded) ? [`${kind}: ${decoded.failure}: ${JSON.stringify(record)}`] : []
  })
