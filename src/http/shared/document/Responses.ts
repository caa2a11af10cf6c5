/** Answers as readers of OpenAPI expect them: headers by their names, empty bodies without content, problems by status. */
import type { ProblemType } from "../../../domain/shared/Problem.ts"
import { isObject, type Json, type JsonObject, mapValues, objectAt, sorted, textAt } from "./Json.ts"
import { headerName } from "./Parameters.ts"
import { generalName, metadataOf } from "./ProblemSchemas.ts"
import { referred, refTo } from "./Schemas.ts"

export const problemContentType = "application/problem+json"

/** What the answers of operations are derived from besides the operation itself. */
export interface Sources {
  readonly schemas: JsonObject
  /** The component that holds a problem, by the problem's name. */
  readonly problems: ReadonlyMap<string, string>
  /** An example of a body, by the component that it is of. */
  readonly examples: JsonObject
}

const headerDescriptions: Readonly<Record<string, string>> = {
  "Cache-Control": "Who may keep the answer, and for how long",
  "Clear-Site-Data": "What the browser is to forget",
  ETag: "Changes whenever the answer does; send it back in `If-None-Match`",
  Location: "Where to go next",
  "Retry-After": "Seconds to wait before the next attempt",
  "Set-Cookie": "The session cookie `forum-session`",
  Vary: "Which request headers the answer depends on"
}

const header = (name: string, required: boolean): JsonObject => ({
  description: headerDescriptions[name] ?? name,
  required,
  schema: { type: "string" }
})

const emptyAnswers: Readonly<Record<string, string>> = {
  "200": "Done; no content",
  "202": "Accepted; no content",
  "204": "Done; no content",
  "302": "Go to `Location`",
  "304": "Nothing has changed since the answer with the tag in `If-None-Match`"
}

const describe = (status: string, response: JsonObject, sources: Sources): string => {
  const [media] = Object.values(objectAt(response, "content"))
  const own = textAt(response, "description") ?? ""
  if (media === undefined) return emptyAnswers[status] ?? own
  const name = referred(objectAt(media, "schema"))
  if (own !== name && own !== "Success") return own
  return textAt(sources.schemas[name ?? ""], "description") ?? "What was asked for"
}

/** The body's media types, with an example where there is one. */
export const withExamples = (content: JsonObject, { examples }: Sources): JsonObject =>
  mapValues(content, (media) => {
    const example = examples[referred(objectAt(media, "schema")) ?? ""]
    return isObject(media) && example !== undefined ? { ...media, example } : media
  })

/** An answer that is no problem. */
export const success = (
  status: string,
  response: JsonObject,
  setsSession: boolean,
  sources: Sources
): JsonObject => {
  const declared = Object.entries(objectAt(response, "headers")).map(
    ([name, value]) =>
      [headerName(name), header(headerName(name), isObject(value) && value.required === true)] as const
  )
  const cookie = setsSession ? [["Set-Cookie", header("Set-Cookie", true)] as const] : []
  const headers = Object.fromEntries([...declared, ...cookie])
  const content = objectAt(response, "content")
  return {
    description: describe(status, response, sources),
    ...(Object.keys(headers).length === 0 ? {} : { headers: sorted(headers) }),
    ...(Object.keys(content).length === 0 ? {} : { content: withExamples(content, sources) })
  }
}

const waits = (component: string, { schemas }: Sources): boolean =>
  "retry_after" in metadataOf(schemas[component])

/** One status and the problems that have it. */
const failure = (problemTypes: ReadonlyArray<ProblemType>, sources: Sources): JsonObject => {
  const components = problemTypes.map(({ name }) => sources.problems.get(name) ?? generalName)
  const [only] = components
  const schema =
    components.length === 1 && only !== undefined
      ? refTo(only)
      : {
          oneOf: components.map(refTo),
          discriminator: {
            propertyName: "type",
            mapping: Object.fromEntries(
              problemTypes.map(({ type }, index) => [type, `#/components/schemas/${components[index]}`])
            )
          }
        }
  const retry = components.some((component) => waits(component, sources))
  return {
    description: problemTypes.map(({ title }) => title).join(", or: "),
    ...(retry ? { headers: { "Retry-After": header("Retry-After", true) } } : {}),
    content: { [problemContentType]: { schema } }
  }
}

export const failures = (problemTypes: ReadonlyArray<ProblemType>, sources: Sources): JsonObject => {
  const byStatus = Map.groupBy(problemTypes, ({ status }) => String(status))
  return Object.fromEntries(
    [...byStatus].map(([status, group]): [string, Json] => [status, failure(group, sources)])
  )
}
