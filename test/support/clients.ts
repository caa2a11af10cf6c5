/** Clients of OAuth in the tests. */
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { ok } from "./answers.ts"
import { call, type Person } from "./people.ts"

export const administrative = "/admin/oauth/clients"
export const own = "/auth/oauth/clients"
export const initialTokens = "/admin/oauth/initial-access-tokens"
export const registrations = "/api/oauth/register"

/** A hash that costs what passwords cost. */
export const secretHash =
  "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$kQ1mUZ6cZ6m5Yy0Yk3XG0dGf2Yw1uYH0hQ1bH1x2abc"

let names = 0

/** A client to create for somebody, which nothing of another test is like. */
export const clientFor = (person: Person, more: Readonly<Record<string, unknown>> = {}) => ({
  account_id: person.id,
  client_id: `client-${names++}`,
  name: "Archive",
  type: "public",
  redirect_uris: ["https://archive.example/callback"],
  allowed_scopes: ["openid", "READ_PUBLISHED_THREADS"],
  allowed_grants: ["authorization_code", "refresh_token"],
  ...more
})

/** A new client of somebody, by an administrator. */
export const createClient = (
  administrator: Person,
  person: Person,
  more: Readonly<Record<string, unknown>> = {}
) => Effect.map(administrator.post(administrative, clientFor(person, more)), ok)

/** A client to create for oneself. */
export const ownClient = (more: Readonly<Record<string, unknown>> = {}) => ({
  name: "Archive",
  type: "public",
  redirect_uris: ["https://archive.example/callback"],
  allowed_scopes: ["READ_PUBLISHED_THREADS"],
  allowed_grants: ["authorization_code"],
  pkce_required: true,
  ...more
})

/** A new client of one's own, with its secret. */
export const createOwn = (person: Person, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(person.post(own, ownClient(more)), ok)

/** What a client says of itself that registers. */
export const saidBy = (more: Readonly<Record<string, unknown>> = {}) => ({
  client_name: "Tide tables",
  redirect_uris: ["https://tides.example/callback"],
  token_endpoint_auth_method: "none",
  ...more
})

const bearing = (token: string | undefined) =>
  token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }

/** Registers a client, with a token or without one. */
export const register = (token?: string, body: unknown = saidBy()) =>
  call("POST", registrations, { body, ...bearing(token) })

/** What a client does with its registration, by its token. */
export const registrationOf = (clientId: string, token: string | undefined) => {
  const path = `${registrations}/${clientId}`
  return {
    get: call("GET", path, bearing(token)),
    put: (body: unknown) => call("PUT", path, { body, ...bearing(token) }),
    delete: call("DELETE", path, bearing(token))
  }
}

/** A new token with which programs register. */
export const initialToken = (
  administrator: Person,
  more: Readonly<Record<string, unknown>> = {}
): Effect.Effect<string, unknown, HttpClient.HttpClient> =>
  Effect.map(
    administrator.post(initialTokens, { expires_in: 3600, max_registrations: 1000, ...more }),
    (answer) => ok(answer).token
  )
