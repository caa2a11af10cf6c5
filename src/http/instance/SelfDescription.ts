/** The responses that describe the API: the OpenAPI document, the reference, and the problems. */
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Deployment } from "../../domain/settings/Deployment.ts"
import type { ProblemType } from "../../domain/shared/Problem.ts"
import { ForumApi } from "../Api.ts"
import { prefersHtml } from "../bytes/Accept.ts"
import { makeCachedResponse } from "../bytes/CachedResponse.ts"
import { catalogueOf } from "../document/ProblemCatalogue.ts"
import { Descriptions } from "./Descriptions.ts"
import { ProblemUnknown } from "./InstanceApi.ts"
import { policy } from "./Page.ts"
import { problemListPage, problemPage } from "./ProblemPages.ts"

type Request = HttpServerRequest.HttpServerRequest

/** JSON, or a page for clients that prefer HTML. */
const asAsked = (request: Request, json: object, page: string) => {
  const vary = { vary: "Accept" }
  return prefersHtml(request.headers.accept)
    ? HttpServerResponse.text(page, {
        contentType: "text/html; charset=utf-8",
        headers: { ...vary, "content-security-policy": policy }
      })
    : HttpServerResponse.jsonUnsafe(json, { headers: vary })
}

const toWire = ({ explanation, name, status, title, type }: ProblemType) => ({
  name,
  type,
  status,
  title,
  explanation
})

export const makeSelfDescription = Effect.gen(function* () {
  const deployment = yield* Deployment
  const { make } = yield* Descriptions
  const problems = catalogueOf(ForumApi)
  const byName = new Map(problems.map((problemType) => [problemType.name, problemType]))

  const description = yield* makeCachedResponse(make("document", deployment))
  const reference = yield* makeCachedResponse(make("reference", deployment))

  const listProblems = (request: Request) =>
    asAsked(request, { problems: problems.map(toWire) }, problemListPage(problems))

  const getProblem = (request: Request, name: string) => {
    const problemType = byName.get(name)
    return problemType === undefined
      ? Effect.fail(new ProblemUnknown({ metadata: { name } }))
      : Effect.succeed(asAsked(request, toWire(problemType), problemPage(problemType)))
  }

  return { description, getProblem, listProblems, reference }
})
