/** The responses that describe the API: the OpenAPI document, the reference, and the problems. */
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Deployment } from "../../domain/settings/Deployment.ts"
import type { ProblemType } from "../../domain/shared/Problem.ts"
import { ForumApi } from "../Api.ts"
import { prefersHtml } from "../bytes/Accept.ts"
import { makeCachedResponse } from "../bytes/CachedResponse.ts"
import { catalogueOf } from "../document/ProblemCatalogue.ts"
import type { PageContent } from "../page/Layout.ts"
import { type Asking, askingOf, shown } from "../page/PageAnswer.ts"
import { PageDocuments } from "../page/PageDocuments.ts"
import { Descriptions } from "./Descriptions.ts"
import { ProblemUnknown } from "./InstanceApi.ts"
import { problemListPage, problemPage } from "./ProblemPages.ts"

type Request = HttpServerRequest.HttpServerRequest

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

  const { publish } = yield* PageDocuments

  /** JSON, or a page for clients that prefer HTML. */
  const asAsked = (request: Request, json: object, page: (asking: Asking) => PageContent) => {
    const asking = askingOf(request)
    return prefersHtml(request.headers.accept)
      ? publish(shown(page(asking)), asking)
      : Effect.succeed(HttpServerResponse.jsonUnsafe(json, { headers: { vary: "Accept" } }))
  }

  const description = yield* makeCachedResponse(make("document", deployment))
  const reference = yield* makeCachedResponse(make("reference", deployment))

  const listProblems = (request: Request) =>
    asAsked(request, { problems: problems.map(toWire) }, (asking) => problemListPage(problems, asking))

  const getProblem = (request: Request, name: string) => {
    const problemType = byName.get(name)
    return problemType === undefined
      ? Effect.fail(new ProblemUnknown({ metadata: { name } }))
      : asAsked(request, toWire(problemType), (asking) => problemPage(problemType, asking))
  }

  return { description, getProblem, listProblems, reference }
})
