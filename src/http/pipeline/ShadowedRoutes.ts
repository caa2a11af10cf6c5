/** What is refused at addresses that are words of the API, where other addresses have parameters. */
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { NotFound } from "../contract/RequestProblems.ts"
import { shadowedMethods } from "./MethodTable.ts"

/**
 * `DELETE /nodes/drafts` is no request to delete what is called drafts: nothing is. The pipeline answers like to any
 * other method that an address does not take.
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
