/** Answers failures in the form of OAuth (RFC 6749, 5.2). */
import { HttpServerResponse } from "effect/http"
import { OAuthError, OAuthUnauthorized, oauthErrorBody } from "../../domain/shared/OAuthError.ts"
import type { InvalidRequest } from "../contract/RequestProblems.ts"

/** Nobody keeps what was answered to a request for tokens. Some clients know the older header alone. */
export const notKept = { "cache-control": "no-store", pragma: "no-cache" } as const

export const isOAuthFailure = (failure: unknown): failure is OAuthError | OAuthUnauthorized =>
  failure instanceof OAuthError || failure instanceof OAuthUnauthorized

export const oauthResponse = (error: OAuthError | OAuthUnauthorized) =>
  HttpServerResponse.jsonUnsafe(oauthErrorBody(error), {
    status: error instanceof OAuthUnauthorized ? 401 : 400,
    headers:
      error instanceof OAuthUnauthorized ? { ...notKept, "www-authenticate": error.challenge } : notKept
  })

// Descriptions have no other characters, and none that ends a text in JSON or in a header.
const plain = (text: string) => text.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, "?")

const descriptionMax = 400

/** Says in the form of OAuth what of a request cannot be read: the first issue, as there is room for a sentence. */
export const unreadable = ({ metadata: { issues } }: Pick<InvalidRequest, "metadata">): OAuthError => {
  const [issue] = issues
  const where = issue === undefined || issue.path === "" ? "" : `${issue.path}: `
  const description = plain(`${where}${issue?.message ?? "The request cannot be read"}`)
  return new OAuthError({ error: "invalid_request", error_description: description.slice(0, descriptionMax) })
}

export const notAForm = new OAuthError({
  error: "invalid_request",
  error_description: "The operation does not take a body of this content type"
})
