/** What is true of the query parameters of every operation, before they are decoded. */
import { Effect, SchemaAST } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { InvalidRequest } from "../contract/RequestProblems.ts"
import { tooOftenIn } from "./ArrayLimits.ts"

type Given = string | Array<string>

/** The parameters that may be repeated, which are lists. */
const listsIn = (query: SchemaAST.AST): ReadonlySet<string> =>
  new Set(
    SchemaAST.isObjects(query)
      ? query.propertySignatures
          .filter(({ type }) => SchemaAST.isArrays(type))
          .map(({ name }) => String(name))
      : []
  )

/** Annotates a parameter that is not as absent without a value: it has one, or the request is refused. */
export const valueNeeded = { needsValue: true } as const

/** The parameters that have to be given, or have to have a value if they are. */
const requiredIn = (query: SchemaAST.AST): ReadonlySet<string> =>
  new Set(
    SchemaAST.isObjects(query)
      ? query.propertySignatures
          .filter(
            ({ type }) =>
              !SchemaAST.isOptional(type) || SchemaAST.resolveAt<boolean>("needsValue")(type) === true
          )
          .map(({ name }) => String(name))
      : []
  )

const isPlain = (given: Given) => typeof given === "string" && given !== ""

const plain = (given: Given, isList: boolean): Given => {
  if (typeof given === "string") return given
  return isList ? given.filter((value) => value !== "") : (given.at(-1) ?? "")
}

const plainParameters = (
  parameters: Readonly<Record<string, Given>>,
  lists: ReadonlySet<string>,
  required: ReadonlySet<string>
) =>
  Object.fromEntries(
    Object.entries(parameters)
      .map(([name, given]) => [name, plain(given, lists.has(name))] as const)
      .filter(([name, given]) => given.length > 0 || required.has(name))
  )

/**
 * Lets an operation see a parameter without a value as absent, unless it has to be given, and of one that is given
 * twice the last value.
 */
export const withPlainQuery = ({ query }: HttpApiEndpoint.Top) => {
  if (query === undefined) return <A, E, R>(handler: Effect.Effect<A, E, R>) => handler
  const lists = listsIn(query.ast)
  const required = requiredIn(query.ast)
  return <A, E, R>(handler: Effect.Effect<A, E, R>) =>
    Effect.flatMap(HttpServerRequest.ParsedSearchParams, (parameters) =>
      Object.values(parameters).every(isPlain)
        ? handler
        : Effect.provideService(
            handler,
            HttpServerRequest.ParsedSearchParams,
            plainParameters(parameters, lists, required)
          )
    )
}

/** Refuses parameters that are given too often. */
export const checkAddress = (
  request: HttpServerRequest.HttpServerRequest,
  endpoint: HttpApiEndpoint.Top
): Effect.Effect<void> => {
  const start = request.url.indexOf("?")
  const issues = start === -1 ? [] : tooOftenIn(request.url.slice(start + 1), endpoint)
  return issues.length === 0 ? Effect.void : dieWithProblem(new InvalidRequest({ metadata: { issues } }))
}
