/** Problems in the document: a component for each, and the responses that have them. */
import type { ProblemType } from "../../domain/shared/Problem.ts"
import { headersFor } from "../pipeline/ProblemHeaders.ts"
import type { OAuthStatus } from "./Failures.ts"
import { isObject, type Json, type JsonObject, listAt, objectAt } from "./Json.ts"

const anyProblem = "APIError"

/** The component of failures in the form of OAuth, which are no problems. */
const oauthError = "OAuthError"
/** The class whose answers differ by their status and a header alone. */
const oauthUnauthorized = "OAuthUnauthorized"
const oauthForm = "A failure in the form of OAuth (RFC 6749, 5.2)"

const refTo = (component: string): JsonObject => ({ $ref: `#/components/schemas/${component}` })

/**
 * The form of every problem. Each component repeats all of it in one object,
 * since some generators cannot combine schemas.
 */
const form = (particular: { readonly type?: Json; readonly status?: Json; readonly metadata?: Json }) => ({
  type: "object",
  properties: {
    type: {
      type: "string",
      format: "uri-reference",
      description: "Which problem it is, and the address of its explanation",
      ...(particular.type === undefined ? {} : { const: particular.type })
    },
    title: { type: "string", description: "The problem in a sentence, for people" },
    status: {
      type: "integer",
      description: "The status of the response",
      ...(particular.status === undefined ? {} : { const: particular.status })
    },
    detail: { type: "string", description: "What is particular to this occurrence" },
    trace_id: {
      type: "string",
      pattern: "^[0-9a-f]{32}$",
      description: "The W3C trace id of the request, which finds it in the log of the service"
    },
    metadata: particular.metadata ?? {
      type: "object",
      description: "Facts that a program may act on",
      additionalProperties: true
    }
  },
  required: ["type", "title", "status", "trace_id", "metadata"]
})

/** A problem as the document knows it. */
export interface DocumentedProblem extends ProblemType {
  readonly component: string
  /** The fields of its metadata. */
  readonly metadata: JsonObject
}

export interface Components {
  readonly schemas: JsonObject
  readonly problems: ReadonlyMap<string, DocumentedProblem>
}

/**
 * Replaces the components of problems by their public form, each under the name of its class. A problem of a middleware
 * that no operation can answer with is left out.
 */
export const withProblems = (
  schemas: JsonObject,
  catalogue: ReadonlyArray<ProblemType>,
  possible: ReadonlyArray<ProblemType>
): Components => {
  const byType = new Map(catalogue.map((problem) => [problem.type, problem]))
  const possibleTypes = new Set(possible.map(({ type }) => type))
  const problemIn = (schema: Json): ProblemType | undefined => {
    const [type] = listAt(objectAt(schema, "properties").type, "enum")
    return byType.get(String(type))
  }
  const problems = new Map<string, DocumentedProblem>()
  const described = Object.entries(schemas).filter(([name, schema]) => {
    const problem = problemIn(schema)
    const isPossible = problem === undefined || possibleTypes.has(problem.type)
    return isPossible && name.replace(/Encoded$/, "") !== oauthUnauthorized
  })
  const components = described.map(([name, derived]): [string, Json] => {
    const properties = objectAt(derived, "properties")
    const problem = problemIn(derived)
    const component = name.replace(/Encoded$/, "")
    if (component === oauthError)
      return [component, { ...(isObject(derived) ? derived : {}), description: oauthForm }]
    if (problem === undefined) return [name, derived]
    const metadata = objectAt(properties, "metadata")
    const fields = objectAt(metadata, "properties")
    problems.set(problem.name, { ...problem, component, metadata: fields })
    const hasFields = Object.keys(fields).length > 0
    return [
      component,
      {
        description: problem.explanation,
        ...form({ type: problem.type, status: problem.status, ...(hasFields ? { metadata } : {}) })
      }
    ]
  })
  const general = { description: "A problem (RFC 9457), whichever it is.", ...form({}) }
  return { schemas: { [anyProblem]: general, ...Object.fromEntries(components) }, problems }
}

const schemaOf = (problems: ReadonlyArray<DocumentedProblem>): JsonObject => {
  const [only, ...others] = problems.map(({ component }) => refTo(component))
  if (only === undefined || others.length === 0) return only ?? refTo(anyProblem)
  return {
    oneOf: [only, ...others],
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(
        problems.map(({ component, type }) => [type, `#/components/schemas/${component}`])
      )
    }
  }
}

const response = (description: string, problems: ReadonlyArray<DocumentedProblem>): JsonObject => {
  const headers = problems.flatMap(headersFor).map(({ appliesTo, description, name }) => {
    const required = problems.every(appliesTo)
    return [name, { description, required, schema: { type: "string" } }]
  })
  return {
    description,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    content: { "application/problem+json": { schema: schemaOf(problems) } }
  }
}

/** The responses of an operation that fails with one of these problems, by status, or before it is reached. */
export const failures = (problems: ReadonlyArray<DocumentedProblem>): JsonObject => ({
  ...Object.fromEntries(
    [...Map.groupBy(problems, ({ status }) => String(status))].map(([status, group]) => [
      status,
      response(group.map(({ title }) => title).join("; or: "), group)
    ])
  ),
  default: response("Any other problem", [])
})

/** The headers by which nothing keeps a failure in the form of OAuth. Problems of the same status lack the second. */
const uncached = (required: boolean): JsonObject => ({
  "Cache-Control": { description: "Who may keep the response: nobody", required, schema: { type: "string" } },
  Pragma: { description: "The same for old caches", required, schema: { type: "string" } }
})

const challenged = {
  "WWW-Authenticate": {
    description: "By what scheme a request proves who sent it",
    required: true,
    schema: { type: "string" }
  }
} as const

const withOAuthError = (response: JsonObject, status: OAuthStatus): JsonObject => {
  const described = "description" in response ? `${response.description}; or: ` : ""
  return {
    ...response,
    description: `${described}${oauthForm}`,
    headers: {
      ...objectAt(response, "headers"),
      ...uncached(!("application/problem+json" in objectAt(response, "content"))),
      ...(status === "401" ? challenged : {})
    },
    content: { ...objectAt(response, "content"), "application/json": { schema: refTo(oauthError) } }
  }
}

/** The responses of an operation that also fails in the form of OAuth: the content type tells the two apart. */
export const withOAuthErrors = (responses: JsonObject, statuses: ReadonlyArray<OAuthStatus>): JsonObject => ({
  ...responses,
  ...Object.fromEntries(
    statuses.map((status) => [status, withOAuthError(objectAt(responses, status), status)])
  )
})
