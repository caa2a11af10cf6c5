/** How the arguments of a tool become a request, and its answer what the tool answers with. Pure. */
import { Option, Schema } from "effect"
import { McpSchema } from "effect/ai"
import { InvalidRequest, type Issue } from "../contract/RequestProblems.ts"
import { isObject, type Json, type JsonObject } from "../document/Json.ts"
import { type DescribedTool, keyArgument } from "../document/ToolList.ts"
import type { ApiAnswer, ApiCall } from "./ApiCalls.ts"

const parsed = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const wordOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

const queryOf = ({ fixed, inQuery }: DescribedTool, given: JsonObject): string => {
  const query = new URLSearchParams(fixed)
  for (const name of inQuery) {
    const value = given[name]
    if (value === undefined || value === null) continue
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, wordOf(one))
  }
  return query.size === 0 ? "" : `?${query}`
}

const pathOf = ({ inPath, path }: DescribedTool, given: JsonObject): string =>
  inPath.reduce(
    (made, name) => made.replace(`:${name}`, () => encodeURIComponent(wordOf(given[name] ?? ""))),
    path
  )

const bodyOf = ({ body, inBody }: DescribedTool, given: JsonObject): { readonly body?: string } => {
  if (body !== undefined) return { body: JSON.stringify(given[body] ?? null) }
  if (inBody === undefined) return {}
  return {
    body: JSON.stringify(Object.fromEntries(Object.entries(given).filter(([name]) => inBody.includes(name))))
  }
}

/** What is wrong with arguments that no operation would see, or could not be asked for. */
const issuesOf = (tool: DescribedTool, given: JsonObject): ReadonlyArray<Issue> => {
  const known = new Set([
    ...tool.inPath,
    ...tool.inQuery,
    ...(tool.inBody ?? []),
    ...(tool.takesKey ? [keyArgument] : [])
  ])
  const key = given[keyArgument]
  return [
    ...Object.keys(given)
      .filter((name) => !known.has(name))
      .map((name): Issue => ({ in: "body", path: name, message: "is no argument of this tool" })),
    ...tool.inPath
      .filter((name) => typeof given[name] !== "string" || given[name] === "")
      .map((name): Issue => ({ in: "path", path: name, message: "Required" })),
    ...(tool.takesKey && key !== undefined && typeof key !== "string"
      ? [{ in: "body", path: keyArgument, message: "Expected a string" } satisfies Issue]
      : [])
  ]
}

/** How many issues are named, as in other refusals. */
const namedMax = 50

const invalid = (issues: ReadonlyArray<Issue>) => {
  const more = issues.length - namedMax
  return new InvalidRequest({
    metadata: { issues: issues.slice(0, namedMax), ...(more > 0 ? { more } : {}) }
  })
}

/** The call of the API that a call of a tool is. */
export const callOf = (tool: DescribedTool, given: JsonObject): ApiCall | InvalidRequest => {
  const issues = issuesOf(tool, given)
  if (issues.length > 0) return invalid(issues)
  const key = given[keyArgument]
  return {
    method: tool.method,
    url: `${pathOf(tool, given)}${queryOf(tool, given)}`,
    ...bodyOf(tool, given),
    ...(tool.takesKey && typeof key === "string" ? { idempotencyKey: key } : {})
  }
}

/** What a tool answers where there is nothing to show: a problem, as JSON. */
export const refusal = (text: string) =>
  new McpSchema.CallToolResult({ isError: true, content: [{ type: "text", text }] })

const shownOf = ({ shows }: DescribedTool, body: JsonObject): JsonObject =>
  shows === undefined
    ? body
    : Object.fromEntries(Object.entries(body).filter(([name]) => shows.includes(name)))

/** What a tool answers with: the answer of the operation as structured content, or its problem. */
export const resultOf = (tool: DescribedTool, { status, text }: ApiAnswer): McpSchema.CallToolResult => {
  const body = Option.getOrUndefined(parsed(text))
  if (status >= 400 || !isObject(body)) return refusal(text)
  const shown = shownOf(tool, body)
  return new McpSchema.CallToolResult({
    structuredContent: shown,
    content: [{ type: "text", text: tool.shows === undefined ? text : JSON.stringify(shown) }]
  })
}
