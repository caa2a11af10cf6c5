/**
 * Refuses methods at addresses that are words of the API, and that only addresses with parameters in their place take.
 */
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { NotFound } from "../contract/RequestProblems.ts"
import { shadowedMethods } from "./MethodTable.ts"

/**
 * Routes that refuse such methods: `DELETE /nodes/drafts` does not ask to delete a node called drafts, as no node is.
 * The pipeline answers as to any other method that an address does not take.
 */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) =>
  HttpRouter.use((router) =>
    Effect.forEach(
      shadowedMethods(api),
      ([method, path]) => router.add(method, path, dieWithProblem(new NotFound())),
      { discard: true }
    )
  )
