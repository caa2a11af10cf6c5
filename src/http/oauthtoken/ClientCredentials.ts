/** How a client says which one it is: by HTTP Basic or in the form, never by both (RFC 6749, 2.3.1). */
import { Effect, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { hasAtMost, isStorable } from "../../domain/field/Text.ts"
import type { PresentedClient } from "../../domain/oauthgrant/ClientAuthentication.ts"
import { OAuthError } from "../../domain/shared/OAuthError.ts"
import { clientIdMax, fieldMax, given, givenSecret } from "../contract/OAuthForm.ts"

interface ClientFields {
  readonly client_id?: string
  readonly client_secret?: string
}

const refused = (error_description: string) => new OAuthError({ error: "invalid_client", error_description })

const basicForm = /^Basic +([A-Za-z0-9+/]+={0,2})$/i

/** A value of a form, decoded; undefined if it is none, or would be refused in a form. */
const decoded = (text: string, max: number): string | undefined => {
  try {
    const value = decodeURIComponent(text.replaceAll("+", " "))
    return hasAtMost(value, max) && isStorable(value) ? value : undefined
  } catch {
    return undefined
  }
}

const basicOf = (header: string): PresentedClient | undefined => {
  const text = Buffer.from(basicForm.exec(header)?.[1] ?? "", "base64").toString("utf8")
  const colon = text.indexOf(":")
  const clientId = decoded(text.slice(0, Math.max(colon, 0)), clientIdMax)
  const secret = decoded(text.slice(colon + 1), fieldMax)
  if (colon <= 0 || clientId === undefined || secret === undefined) return undefined
  return { clientId, secret: secret === "" ? undefined : Redacted.make(secret), isBasic: true }
}

/** The client that a request names. */
export const presentedBy = (
  request: HttpServerRequest.HttpServerRequest,
  form: ClientFields
): Effect.Effect<PresentedClient, OAuthError> => {
  const header = request.headers.authorization ?? ""
  const clientId = given(form.client_id)
  const secret = givenSecret(form.client_secret)
  if (!/^Basic\b/i.test(header)) return Effect.succeed({ clientId, secret, isBasic: false })
  if (clientId !== undefined || secret !== undefined) {
    return Effect.fail(refused("multiple client authentication methods used"))
  }
  const basic = basicOf(header)
  // What cannot be read names no client, which is refused as such.
  return Effect.succeed(basic ?? { clientId: undefined, secret: undefined, isBasic: true })
}
