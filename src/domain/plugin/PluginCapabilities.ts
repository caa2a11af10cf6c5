/** What plugins say that they can do for hosted agents. It is read, checked and kept. Pure. */
import { Result, type Schema } from "effect"
import type { JsonObject } from "../field/Json.ts"
import {
  flag,
  json,
  line,
  lines,
  matching,
  oneOf,
  type Place,
  type Reading,
  type Rule,
  refuseRepeated,
  verbatim,
  visibleLine
} from "./ManifestReading.ts"

export const capabilitiesMax = 32
export const toolsMax = 256
export const toolsetsMax = 64

const nameMax = 100
const descriptionMax = 10_000
const schemaMax = 64 * 1024

const providerId = matching(
  nameMax,
  /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/,
  "must have letters, digits, dots, underscores and hyphens, and begin with a letter or digit"
)

const toolId = matching(
  nameMax,
  /^[a-zA-Z0-9][a-zA-Z0-9_]*$/,
  "must have letters, digits and underscores, and begin with a letter or digit"
)

/** A JSON Schema of objects. */
const objectSchema: Rule<JsonObject> = (value) =>
  Result.filterOrFail(
    json(schemaMax)(value),
    ({ type }) => type === "object",
    () => "must be a JSON Schema of the type object"
  )

/** The fields that have a value. */
const present = (fields: Readonly<Record<string, Schema.Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  )

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const

const readAnnotations = ({ inner, optional }: Reading, tool: Place): JsonObject | undefined => {
  const place = inner(tool, "annotations")
  return place && present(Object.fromEntries(hints.map((hint) => [hint, optional(place, hint, flag)])))
}

const readTool = (reading: Reading, field: string, value: unknown): JsonObject | undefined => {
  const place = reading.object(field, value)
  if (place === undefined) return undefined
  const { optional, required } = reading
  return present({
    id: required(place, "id", toolId),
    name: required(place, "name", visibleLine(nameMax)),
    title: optional(place, "title", line(nameMax)),
    description: required(place, "description", lines(descriptionMax)),
    input_schema: required(place, "input_schema", objectSchema),
    output_schema: optional(place, "output_schema", objectSchema),
    requires_confirmation: optional(place, "requires_confirmation", flag),
    requires_workspace: optional(place, "requires_workspace", flag),
    annotations: readAnnotations(reading, place)
  })
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined)

const readToolset = (
  reading: Reading,
  known: ReadonlyArray<string>,
  field: string,
  value: unknown
): JsonObject | undefined => {
  const place = reading.object(field, value)
  if (place === undefined) return undefined
  const { each, optional, required, requiredList } = reading
  const ofProvider = oneOf(known, "must be the id of a tool of this provider")
  return present({
    id: required(place, "id", toolId),
    name: required(place, "name", visibleLine(nameMax)),
    description: required(place, "description", lines(descriptionMax)),
    instruction: optional(place, "instruction", lines(descriptionMax)),
    requires_workspace: optional(place, "requires_workspace", flag),
    tools: requiredList(place, "tools", toolsMax, each(ofProvider))
  })
}

const readToolProvider = (reading: Reading, place: Place): JsonObject => {
  const { list, required, requiredList } = reading
  const tools = requiredList(place, "tools", toolsMax, (at, value) => readTool(reading, at, value))
  const ids = tools.map(({ id }) => textOf(id))
  refuseRepeated(reading, `${place.field}.tools`, ids)
  const known = ids.filter((id) => id !== undefined)
  return present({
    type: "robot.tool_provider",
    id: required(place, "id", toolId),
    version: required(place, "version", visibleLine(nameMax)),
    tools,
    toolsets: list(place, "toolsets", toolsetsMax, (at, value) => readToolset(reading, known, at, value))
  })
}

const readModelProvider = ({ optional, required }: Reading, place: Place): JsonObject =>
  present({
    type: "robot.llm_provider",
    id: required(place, "id", providerId),
    version: required(place, "version", visibleLine(nameMax)),
    name: optional(place, "name", line(nameMax)),
    description: optional(place, "description", lines(descriptionMax))
  })

const types = ["robot.llm_provider", "robot.tool_provider"] as const

const capabilityType: Rule<(typeof types)[number]> = (value) =>
  Result.flatMap(verbatim(nameMax)(value), oneOf(types, `must be one of ${types.join(", ")}`))

const readCapability = (reading: Reading, field: string, value: unknown): JsonObject | undefined => {
  const place = reading.object(field, value)
  const type = place && reading.required(place, "type", capabilityType)
  if (place === undefined || type === undefined) return undefined
  return type === "robot.llm_provider" ? readModelProvider(reading, place) : readToolProvider(reading, place)
}

/** The capabilities of a manifest, if it has any, with the fields that are known. */
export const readCapabilities = (reading: Reading, manifest: Place): ReadonlyArray<JsonObject> | undefined =>
  reading.list(manifest, "capabilities", capabilitiesMax, (field, value) =>
    readCapability(reading, field, value)
  )
