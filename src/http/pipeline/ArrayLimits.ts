/**
 * Counts the elements of arrays in requests before any is decoded. Each element of an array that is far too
 * long would otherwise be decoded, and would be an issue of its own.
 */
import { Effect, SchemaAST } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { byEndpoint } from "../contract/Endpoints.ts"
import { InvalidRequest, type Issue } from "../contract/RequestProblems.ts"
import { isJson } from "./Body.ts"
import { isClosing, isOpening, marks, someMark } from "./JsonMarks.ts"

/** How many elements arrays may have, as the schema of what contains them says. */
interface Limits {
  readonly maximum: number | undefined
  readonly items: Limits | undefined
  readonly fields: ReadonlyMap<string, Limits>
}

const noFields: ReadonlyMap<string, Limits> = new Map()

const maximumOf = (checks: SchemaAST.Checks | undefined): number | undefined => {
  for (const check of checks ?? []) {
    const constraint = check.annotations?.arbitraryConstraint
    if (constraint?.maxLength !== undefined) return constraint.maxLength
  }
  return undefined
}

/** The limits in what is sent, which is the encoded side of a schema. Of several forms, the first with limits. */
const limitsOf = (ast: SchemaAST.AST): Limits | undefined => {
  const encoded = ast.encoding?.at(-1)?.to
  if (encoded !== undefined) return limitsOf(encoded)
  if (SchemaAST.isUnion(ast)) return ast.types.map(limitsOf).find((limits) => limits !== undefined)
  if (SchemaAST.isArrays(ast)) {
    const maximum = maximumOf(ast.checks)
    const items = ast.rest[0] === undefined ? undefined : limitsOf(ast.rest[0])
    return maximum === undefined && items === undefined ? undefined : { maximum, items, fields: noFields }
  }
  if (!SchemaAST.isObjects(ast)) return undefined
  const fields = new Map<string, Limits>()
  for (const { name, type } of ast.propertySignatures) {
    const limits = limitsOf(type)
    if (limits !== undefined) fields.set(String(name), limits)
  }
  return fields.size === 0 ? undefined : { maximum: undefined, items: undefined, fields }
}

/** An array or object that has begun and not ended. */
interface Open {
  readonly limits: Limits | undefined
  readonly isArray: boolean
  /** The field that is read. */
  key: string
  /** The index of the element that is read. */
  index: number
}

const keyOf = (json: string, start: number, end: number): string => {
  const key = json.slice(start + 1, end)
  if (!key.includes("\\")) return key
  try {
    return String(JSON.parse(`"${key}"`))
  } catch {
    return key
  }
}

const issueAt = (place: Issue["in"], path: string, maximum: number): Issue => ({
  in: place,
  path,
  message: `Expected at most ${maximum} elements`
})

const begin = (parent: Open | undefined, limits: Limits, isArray: boolean): Open => {
  const own = parent === undefined ? limits : undefined
  const inner = parent?.isArray === true ? parent.limits?.items : parent?.limits?.fields.get(parent.key)
  return { limits: own ?? inner, isArray, key: "", index: 0 }
}

const pathOf = (open: ReadonlyArray<Open>): string =>
  open
    .slice(0, -1)
    .map(({ index, isArray, key }) => (isArray ? index : key))
    .join(".")

/** The first array that is too long. Text that is no JSON may have any answer. */
const tooLongIn = (json: string, limits: Limits): Issue | undefined => {
  const open: Array<Open> = []
  let issue: Issue | undefined
  someMark(json, (mark, { end, start }) => {
    const within = open.at(-1)
    if (isOpening(mark)) {
      open.push(begin(within, limits, mark === marks.openArray))
    } else if (isClosing(mark)) {
      open.pop()
    } else if (mark === marks.colon && within?.limits !== undefined) {
      within.key = keyOf(json, start, end)
    } else if (mark === marks.comma && within !== undefined) {
      within.index++
      const maximum = within.isArray ? within.limits?.maximum : undefined
      if (maximum !== undefined && within.index >= maximum) issue = issueAt("body", pathOf(open), maximum)
    }
    return issue !== undefined
  })
  return issue
}

const refuse = (issues: ReadonlyArray<Issue>) => dieWithProblem(new InvalidRequest({ metadata: { issues } }))

const bodyLimits = byEndpoint((endpoint) => {
  const schemas = [...endpoint.payload.values()].flatMap((payload) => payload.schemas)
  return schemas.map(({ ast }) => limitsOf(ast)).find((limits) => limits !== undefined)
})

const queryLimits = byEndpoint(({ query }) => (query === undefined ? undefined : limitsOf(query.ast)))

/** Runs an operation whose JSON body is refused when an array in it is longer than its schema allows. */
export const withCountedBody = <A, E, R>(
  operation: Effect.Effect<A, E, R>,
  endpoint: HttpApiEndpoint.Top
): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> => {
  const limits = bodyLimits(endpoint)
  if (limits === undefined) return operation
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    if (!isJson(request)) return operation
    const text = Effect.tap(request.text, (json) => {
      const issue = tooLongIn(json, limits)
      return issue === undefined ? Effect.void : refuse([issue])
    })
    const counted = Object.create(request, { text: { get: () => text } })
    return Effect.provideService(operation, HttpServerRequest.HttpServerRequest, counted)
  })
}

/** The parameters of a query that are given more often than its schema allows. */
export const tooOftenIn = (search: string, endpoint: HttpApiEndpoint.Top): ReadonlyArray<Issue> => {
  const limits = queryLimits(endpoint)
  if (limits === undefined) return []
  const parameters = new URLSearchParams(search)
  return [...limits.fields].flatMap(([name, { maximum }]) =>
    maximum !== undefined && parameters.getAll(name).length > maximum ? [issueAt("query", name, maximum)] : []
  )
}
