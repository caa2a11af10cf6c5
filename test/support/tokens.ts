/** Tokens of OAuth in the tests. */
import { Effect, Option, Redacted } from "effect"
import { OAuthClientStore } from "../../src/domain/oauthclient/OAuthClientStore.ts"
import { GrantStore } from "../../src/domain/oauthgrant/GrantStore.ts"
import { Grants } from "../../src/domain/oauthgrant/Grants.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { readScopes } from "../../src/domain/vocabulary/Scope.ts"
import type { Answer } from "./answers.ts"
import { guest, type Person, personByKey } from "./people.ts"
import { assertOAuthError } from "./problems.ts"

export type Fields = Readonly<Record<string, string>>

export const formType = { "content-type": "application/x-www-form-urlencoded" }

/** Posts a form as a program does. */
export const postForm = (path: string, fields: Fields, headers: Fields = {}) =>
  guest.post(path, new URLSearchParams(fields).toString(), { ...formType, ...headers })

export const askFor = (fields: Fields, headers?: Fields) => postForm("/oauth/token", fields, headers)

export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`
})

/** The claims of a token, unchecked. */
export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())

/** The status and the code of an answer that has to be a failure in the form of OAuth. */
export const refusalIn = (answer: Answer): string => {
  assertOAuthError(answer, answer.json.error)
  return `${answer.status} ${answer.json.error}`
}

/** Tokens that somebody has granted a client, as if a page had asked for it. */
export const granted = Effect.fnUntraced(function* (clientId: string, person: Person, scope: string) {
  const client = Option.getOrThrow(
    yield* Effect.flatMap(OAuthClientStore, (store) => store.findByClientId(clientId))
  )
  const subject = Option.getOrThrow(
    yield* Effect.flatMap(GrantStore, (store) => store.findSubject(AccountId.make(person.id)))
  )
  const { begin } = yield* Grants
  const issued = yield* begin({ client, subject, scopes: readScopes(scope) ?? [] }, () => Effect.void)
  return {
    access: Redacted.value(issued.accessToken),
    refresh: issued.refreshToken === undefined ? "" : Redacted.value(issued.refreshToken)
  }
})

/** The same person, calling by a client of the command line that was granted these scopes. */
export const withToken = (person: Person, scope: string) =>
  Effect.map(granted("forum-cli", person, scope), ({ access }) => personByKey(access, person.id))

/** Refreshes as a public client. */
export const refresh = (client_id: string, refresh_token: string) =>
  askFor({ grant_type: "refresh_token", client_id, refresh_token })
