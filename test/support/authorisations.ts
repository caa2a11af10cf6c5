/** Authorisations by a browser in the tests. */
import { createHash, randomBytes } from "node:crypto"
import { Effect } from "effect"
import { ok } from "./answers.ts"
import { type Person, query } from "./people.ts"
import { askFor, type Fields } from "./tokens.ts"

export const redirectUri = "https://archive.example/callback"

export const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url")

/** What a client makes up for one authorisation. */
export const makeProof = () => {
  const verifier = randomBytes(32).toString("base64url")
  return { verifier, challenge: challengeOf(verifier) }
}

/** What a browser is sent with; a field of no text is left out. */
export const authorisation = (client_id: string, more: Readonly<Record<string, string | undefined>> = {}) => {
  const all: Readonly<Record<string, string | undefined>> = {
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    code_challenge: challengeOf("v".repeat(43)),
    code_challenge_method: "S256",
    state: "harbour",
    ...more
  }
  const given = Object.entries(all).flatMap(
    ([name, value]): ReadonlyArray<[string, string]> => (value === undefined ? [] : [[name, value]])
  )
  return `/oauth/authorize${query(Object.fromEntries(given))}`
}

/** Where an answer leads. */
export const leadsTo = ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
  new URL(headers.location ?? "")

/** Asks somebody by a client, and answers how the page names the question. */
export const asked = Effect.fnUntraced(function* (person: Person, client_id: string, more = {}) {
  const answer = yield* person.get(authorisation(client_id, more))
  return leadsTo(answer).searchParams.get("request_id") ?? ""
})

export const consentOf = (request_id: string) => `/oauth/authorize/consent${query({ request_id })}`

export const decide = (person: Person, request_id: string, decision: string) =>
  person.post("/oauth/authorize/consent", { request_id, decision })

/** Asks somebody who approves, and answers the code. */
export const approved = Effect.fnUntraced(function* (person: Person, client_id: string, more = {}) {
  const request = yield* asked(person, client_id, more)
  const { location } = ok(yield* decide(person, request, "approve"))
  return new URL(location).searchParams.get("code") ?? ""
})

/** Exchanges a code as a public client, with the proof of `authorisation`. */
export const exchange = (client_id: string, code: string, more: Fields = {}) =>
  askFor({
    grant_type: "authorization_code",
    client_id,
    code,
    redirect_uri: redirectUri,
    code_verifier: "v".repeat(43),
    ...more
  })
