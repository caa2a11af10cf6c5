/** What people decide on pages about programs, and what the pages tell them who cannot. */
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Decision } from "../../domain/oauthgrant/Consent.ts"
import { OAuthError, type OAuthErrorCode } from "../../domain/shared/OAuthError.ts"
import type { AnyProblem } from "../../domain/shared/Problem.ts"
import { InvalidRequest } from "../contract/RequestProblems.ts"
import { type Consenting, noConsentPage } from "./ConsentView.ts"
import { readForm } from "./Form.ts"
import { type PageAnswer, shown } from "./PageAnswer.ts"

const isDecision = Schema.is(Decision)

/** Reads a decision, and what it is about, from the form of a page. */
export const readDecision = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  about: string
) {
  const fields = yield* readForm(request)
  const decision = fields("decision")
  if (!isDecision(decision)) {
    const message = "Expected approve or deny"
    return yield* new InvalidRequest({ metadata: { issues: [{ in: "body", path: "decision", message }] } })
  }
  return { decision, about: fields(about).trim() }
})

/** The page for somebody who may not give programs access. */
export const notAllowed = (view: Consenting): PageAnswer =>
  shown(noConsentPage(view, view.texts.consent.lacksPermission), 403)

/** Answers a refusal in the form of OAuth with a page. */
export const explaining =
  (explain: (code: OAuthErrorCode) => PageAnswer) =>
  <R>(
    answer: Effect.Effect<PageAnswer, OAuthError | AnyProblem, R>
  ): Effect.Effect<PageAnswer, AnyProblem, R> =>
    Effect.catch(answer, (failure) =>
      failure instanceof OAuthError ? Effect.succeed(explain(failure.error)) : Effect.fail(failure)
    )
