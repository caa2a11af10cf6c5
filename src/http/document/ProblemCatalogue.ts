/** Every problem that the service can answer with, collected from the declarations. */
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { type ProblemType, problemTypeOf } from "../../domain/shared/Problem.ts"
import { endpointsOf } from "../contract/Endpoints.ts"
import { unrouted } from "../contract/RequestProblems.ts"
import { declaredBy } from "./Failures.ts"

/** The problems of the operations, of their middleware, and of requests that reach no operation, ordered by name. */
export const catalogueOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<ProblemType> => {
  const found = new Map<string, ProblemType>()
  const add = (problemType: ProblemType | undefined) => {
    if (problemType !== undefined) found.set(problemType.name, problemType)
  }
  for (const problem of unrouted) add(problemTypeOf(problem))
  for (const { endpoint, middleware } of endpointsOf(api)) {
    for (const error of endpoint.error) add(declaredBy(error))
    for (const { error } of middleware) for (const schema of error) add(declaredBy(schema))
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
