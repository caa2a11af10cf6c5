/** The tools of agents, described as agents are told of them, from the description of the API. Pure. */
import { Context, Record, Schema } from "effect"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { keyMax } from "../../domain/idempotency/IdempotencyKey.ts"
import { type AgentTool, AgentTools } from "../contract/AgentTool.ts"
import { endpointsOf } from "../contract/Endpoints.ts"
import { takesKeys } from "../contract/IdempotentOperation.ts"
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  mapValues,
  objectAt,
  rewrite,
  sorted,
  textAt,
  without
} from "./Json.ts"

/** The argument of tools that change something, by which a call that is sent again is done once. */
export const keyArgument = "idempotency_key"

const JsonObjectSchema = Schema.Record(Schema.String, Schema.Json)

/** A tool, and how its operation is called: which arguments stand in the path, in the query and in the body. */
export const DescribedTool = Schema.Struct({
  name: Schema.String,
  title: Schema.String,
  description: Schema.String,
  operation: Schema.String,
  method: Schema.String,
  path: Schema.String,
  inPath: Schema.Array(Schema.String),
  inQuery: Schema.Array(Schema.String),
  /** The fields of the body; absent where the operation takes none. */
  inBody: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The argument that is the whole body, where that has no fields. */
  body: Schema.optionalKey(Schema.String),
  takesKey: Schema.Boolean,
  fixed: Schema.Record(Schema.String, Schema.String),
  /** The fields of the answer that are shown; absent where all are. */
  shows: Schema.optionalKey(Schema.Array(Schema.String)),
  inputSchema: JsonObjectSchema,
  outputSchema: JsonObjectSchema,
  hints: Schema.Struct({
    readOnlyHint: Schema.Boolean,
    destructiveHint: Schema.Boolean,
    idempotentHint: Schema.Boolean,
    openWorldHint: Schema.Boolean
  })
})
export interface DescribedTool extends Schema.Schema.Type<typeof DescribedTool> {}

export const ToolList = Schema.Array(DescribedTool)

const componentPrefix = "#/components/schemas/"

/** The names of the components that a schema refers to, also by way of others. */
const referredBy = (
  value: Json | undefined,
  components: JsonObject,
  found: Set<string> = new Set()
): Set<string> => {
  if (Array.isArray(value)) for (const item of value) referredBy(item, components, found)
  if (!isObject(value)) return found
  const name = textAt(value, "$ref")?.slice(componentPrefix.length)
  if (name !== undefined && !found.has(name)) {
    found.add(name)
    referredBy(components[name], components, found)
  }
  for (const part of Object.values(value)) referredBy(part, components, found)
  return found
}

const localReference = (schema: JsonObject): JsonObject => {
  const reference = textAt(schema, "$ref")
  return reference === undefined
    ? schema
    : { ...schema, $ref: reference.replace(componentPrefix, "#/$defs/") }
}

/** The schema as a document of its own, which contains what it refers to. */
const closed = (schema: JsonObject, components: JsonObject): JsonObject => {
  const names = [...referredBy(schema, components)].sort()
  const definitions = Object.fromEntries(names.map((name) => [name, components[name] ?? {}]))
  return rewrite(names.length === 0 ? schema : { ...schema, $defs: definitions }, localReference)
}

/** An object schema itself, where another one only refers to it. */
const resolved = (schema: JsonObject, components: JsonObject): JsonObject => {
  const name = textAt(schema, "$ref")?.slice(componentPrefix.length)
  return name === undefined ? schema : resolved(objectAt(components, name), components)
}

const jsonSchemaOf = (container: JsonObject): JsonObject =>
  objectAt(objectAt(objectAt(container, "content"), "application/json"), "schema")

/** The keys of a schema under which schemas stand by names, which may be anything. */
const named: ReadonlySet<string> = new Set(["properties", "$defs"])

const bareValue = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(bareValue)
  return isObject(value) ? bare(value) : value
}

/** A schema without prose. Answers explain themselves, and agents have little room. */
const bare = (schema: JsonObject): JsonObject =>
  mapValues(without(schema, "description", "examples"), (value, key) =>
    named.has(key) && isObject(value) ? mapValues(value, bareValue) : bareValue(value)
  )

const keySchema: JsonObject = {
  type: "string",
  minLength: 1,
  maxLength: keyMax,
  pattern: "^[!-~]+$",
  description:
    "A random text of your choice. Send the same one when you repeat a call without having seen its answer: it is done once."
}

const parametersIn = (operation: JsonObject, place: string): ReadonlyArray<JsonObject> =>
  listAt(operation, "parameters")
    .filter(isObject)
    .filter((parameter) => parameter.in === place)

const nameOf = (parameter: JsonObject) => textAt(parameter, "name") ?? ""

const argumentOf = (parameter: JsonObject): readonly [string, JsonObject] => {
  const description = textAt(parameter, "description")
  const schema = objectAt(parameter, "schema")
  return [nameOf(parameter), description === undefined ? schema : { ...schema, description }]
}

/** What the arguments of a tool are, of which none stands for two things. */
const inputOf = (
  operation: JsonObject,
  components: JsonObject,
  { body: wholeBody, fixed = {}, name }: AgentTool,
  takesKey: boolean
) => {
  const inPath = parametersIn(operation, "path")
  const inQuery = parametersIn(operation, "query").filter((parameter) => !(nameOf(parameter) in fixed))
  const body = resolved(jsonSchemaOf(objectAt(operation, "requestBody")), components)
  const fields: ReadonlyArray<readonly [string, Json]> =
    wholeBody === undefined ? Object.entries(objectAt(body, "properties")) : [[wholeBody, body]]
  const entries: ReadonlyArray<readonly [string, Json]> = [
    ...[...inPath, ...inQuery].map(argumentOf),
    ...fields,
    ...(takesKey ? [[keyArgument, keySchema] as const] : [])
  ]
  const properties = Object.fromEntries(entries)
  if (body.type !== "object" && wholeBody === undefined && "requestBody" in operation) {
    throw new Error(`The body of the tool ${name} has no fields: declare the argument that it is`)
  }
  if (Object.keys(properties).length !== entries.length) {
    throw new Error(`An argument of the tool ${name} would stand for two things`)
  }
  const required = [
    ...[...inPath, ...inQuery].filter((parameter) => parameter.required === true).map(nameOf),
    ...(wholeBody === undefined ? listAt(body, "required") : [wholeBody])
  ]
  const schema: JsonObject = {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false
  }
  return {
    inPath: inPath.map(nameOf),
    inQuery: inQuery.map(nameOf),
    ...("requestBody" in operation ? { inBody: fields.map(([field]) => field) } : {}),
    ...(wholeBody === undefined ? {} : { body: wholeBody }),
    inputSchema: closed(schema, components)
  }
}

/** The schema of what a tool answers with: an object, as the protocol demands. */
const outputOf = (operation: JsonObject, components: JsonObject, { name, shows }: AgentTool): JsonObject => {
  const schema = resolved(jsonSchemaOf(objectAt(objectAt(operation, "responses"), "200")), components)
  if (schema.type !== "object") throw new Error(`The tool ${name} does not answer with an object`)
  const isShown = (field: Json) => shows === undefined || (typeof field === "string" && shows.includes(field))
  const properties = Object.entries(objectAt(schema, "properties")).filter(([field]) => isShown(field))
  const shown = {
    ...schema,
    properties: Object.fromEntries(properties),
    required: listAt(schema, "required").filter(isShown)
  }
  return bare(closed(shown, components))
}

const hintsOf = (
  { isDestructive = false, isIdempotent = false, isOpenWorld = false }: AgentTool,
  method: string
) => ({
  readOnlyHint: method === "GET",
  destructiveHint: isDestructive,
  idempotentHint: method === "GET" || isIdempotent,
  openWorldHint: isOpenWorld
})

/** The operations of an OpenAPI document, by their ids. */
const operationsOf = (document: JsonObject): ReadonlyMap<string, JsonObject> =>
  new Map(
    Object.values(objectAt(document, "paths"))
      .filter(isObject)
      .flatMap((item) => Object.values(item).filter(isObject))
      .map((operation) => [textAt(operation, "operationId") ?? "", operation])
  )

/** All tools that the operations of an API are, by name, from the description of the API. */
export const toolListOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  document: JsonObject
): ReadonlyArray<DescribedTool> => {
  const components = sorted(objectAt(objectAt(document, "components"), "schemas"))
  const operations = operationsOf(document)
  const tools = endpointsOf(api).flatMap(({ endpoint, id }) =>
    Context.get(endpoint.annotations, AgentTools).map((tool): DescribedTool => {
      const operation = operations.get(id) ?? {}
      const takesKey = takesKeys(endpoint)
      const description = textAt(operation, "description") ?? ""
      return {
        name: tool.name,
        title: tool.title ?? textAt(operation, "summary") ?? tool.name,
        description: tool.hint === undefined ? description : `${tool.hint} ${description}`,
        operation: id,
        method: endpoint.method,
        path: endpoint.path,
        takesKey,
        fixed: Record.filter(tool.fixed ?? {}, (value) => value !== undefined),
        ...(tool.shows === undefined ? {} : { shows: tool.shows }),
        ...inputOf(operation, components, tool, takesKey),
        outputSchema: outputOf(operation, components, tool),
        hints: hintsOf(tool, endpoint.method)
      }
    })
  )
  return tools.sort((a, b) => (a.name < b.name ? -1 : 1))
}
