/** The components of problems: one general form, and what each problem adds to it. */
import type { ProblemType } from "../../../domain/shared/Problem.ts"
import { type Json, type JsonObject, listAt, objectAt } from "./Json.ts"
import { refTo } from "./Schemas.ts"

export const generalName = "APIError"

/** What every problem has in common; clients that know no single problem read this. */
const general: JsonObject = {
  type: "object",
  description:
    "A problem (RFC 9457). `type` says which, and is the address of its explanation; `trace_id` finds the request in the service's log.",
  properties: {
    type: { type: "string", format: "uri-reference", description: "Which problem it is" },
    title: { type: "string", description: "A sentence for people" },
    status: { type: "integer", description: "The status of the answer" },
    detail: { type: "string", description: "What is particular to this occurrence" },
    trace_id: { type: "string", pattern: "^[0-9a-f]{32}$", description: "The W3C trace id of the request" },
    metadata: { type: "object", description: "Facts that a program may act on" }
  },
  required: ["type", "title", "status", "trace_id", "metadata"]
}

/** What a problem fixes of the general form. */
const particular = ({ status, title, type }: ProblemType, derived: Json): JsonObject => {
  const metadata = objectAt(objectAt(derived, "properties"), "metadata")
  return {
    type: "object",
    properties: {
      type: { type: "string", const: type },
      title: { type: "string", const: title },
      status: { type: "integer", const: status },
      ...("properties" in metadata ? { metadata } : {})
    }
  }
}

const component = (problemType: ProblemType, derived: Json): JsonObject => ({
  title: problemType.title,
  description: problemType.explanation,
  allOf: [refTo(generalName), particular(problemType, derived)]
})

/** The facts that a problem's component declares. */
export const metadataOf = (schema: Json | undefined): JsonObject => {
  const [, own] = listAt(schema, "allOf")
  return objectAt(objectAt(objectAt(own, "properties"), "metadata"), "properties")
}

export interface WithProblems {
  readonly schemas: JsonObject
  /** The component that holds a problem, by the problem's name. */
  readonly problems: ReadonlyMap<string, string>
}

/** The schemas, those of problems among them in their public form. */
export const withProblems = (schemas: JsonObject, problemTypes: ReadonlyArray<ProblemType>): WithProblems => {
  const byType = new Map(problemTypes.map((problemType) => [problemType.type, problemType]))
  const problems = new Map<string, string>()
  const replaced = Object.entries(schemas).map(([name, schema]): [string, Json] => {
    const [type] = listAt(objectAt(objectAt(schema, "properties"), "type"), "enum")
    const problemType = byType.get(String(type))
    if (problemType === undefined) return [name, schema]
    const short = name.replace(/Encoded$/, "")
    problems.set(problemType.name, short)
    return [short, component(problemType, schema)]
  })
  return { schemas: { [generalName]: general, ...Object.fromEntries(replaced) }, problems }
}
