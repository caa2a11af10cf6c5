/** The responses that describe the API: the OpenAPI document, the reference, and the problems. */
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Deployment } from "../../domain/instance/Deployment.ts"
import type { ProblemType } from "../../domain/shared/Problem.ts"
import { ForumApi } from "../Api.ts"
import { prefersHtml } from "../shared/Accept.ts"
import { makeCachedResponse } from "../shared/CachedResponse.ts"
import { documentOf } from "../shared/Document.ts"
import { catalogueOf } from "../shared/ProblemCatalogue.ts"
import { ProblemUnknown } from "./InstanceApi.ts"
import { policy, problemListPage, problemPage } from "./ProblemPages.ts"
import { makeReference } from "./Reference.ts"

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
  const digest = yield* Digest.Digest
  const problems = catalogueOf(ForumApi)
  const byName = new Map(problems.map((problemType) => [problemType.name, problemType]))

  const document = yield* Effect.cached(Effect.sync(() => documentOf(ForumApi, deployment)))

  const description = yield* makeCachedResponse(
    Effect.map(document, (document) => ({
      text: JSON.stringify(document),
      contentType: "application/vnd.oai.openapi+json;version=3.1.0",
      headers: { "cache-control": "public, max-age=3600" }
    }))
  )

  const reference = yield* makeCachedResponse(
    Effect.flatMap(document, makeReference).pipe(Effect.provideService(Digest.Digest, digest))
  )

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
