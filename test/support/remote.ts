/**
 * A resource of somebody else, and its authorisation server, in the web of the tests. The server is strict: what is asked
 * wrongly is refused, not guessed.
 */
import { createHash, randomUUID } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { OutboundRequest } from "../../src/domain/outbound/Outbound.ts"
import type { Answer } from "./answers.ts"
import * as Pages from "./pages.ts"

type Json = Readonly<Record<string, unknown>>

/** How the server is, and how it may misbehave. */
export interface Manner {
  /** What its document says beside what it has to. */
  readonly tells?: Json
  /** What the document of the resource says beside its server. */
  readonly resourceTells?: Json
  /** What it answers to who registers. */
  readonly registers?: { readonly status: number; readonly body: unknown }
  /** What it answers to who asks for a token instead. */
  readonly answers?: { readonly status: number; readonly body: unknown }
  /** What it gives beside the token. */
  readonly gives?: Json
  /** What has to happen before it gives a token. */
  readonly before?: Effect.Effect<void>
  /** How clients authenticate: those without a secret, unless something else is said. */
  readonly client?: { readonly id: string; readonly secret: string; readonly method: "basic" | "post" }
}

const own = "http://forum.test/.well-known/oauth-client-metadata"
export const page = "http://www.forum.test/oauth/remote/callback"

/** What a registration of the service says. */
export const registration = {
  client_name: "Forum",
  client_uri: "http://www.forum.test",
  redirect_uris: [page],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none"
}

interface Approved {
  readonly clientId: string
  readonly challenge: string
  readonly redirectUri: string
}

const jsonOf = ({ body }: OutboundRequest): unknown => JSON.parse(new TextDecoder().decode(body?.bytes))

const formOf = ({ body }: OutboundRequest) => {
  assert.strictEqual(body?.contentType, "application/x-www-form-urlencoded")
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body?.bytes)))
}

export const makeRemote = (name: string, domain = "test") => {
  const resource = `https://${name}.${domain}/mcp`
  const issuer = `https://id.${name}.${domain}`
  const codes = new Map<string, Approved>()
  const refreshable = new Set<string>()
  const asked = { registrations: [] as unknown[], grants: [] as string[] }
  let manner: Manner = {}

  const documentOfServer = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    ...manner.tells
  })

  /** The client that a form is from, if it authenticates as it has to. */
  const clientOf = ({ headers }: OutboundRequest, form: Readonly<Record<string, string>>) => {
    const { client } = manner
    const authorization = headers?.authorization
    if (client === undefined) {
      return authorization === undefined && form.client_secret === undefined ? form.client_id : undefined
    }
    const { id, method, secret } = client
    if (method === "post") {
      const isRight = form.client_id === id && form.client_secret === secret
      return isRight && authorization === undefined ? id : undefined
    }
    const pair = new URLSearchParams({ "": id }).toString().slice(1)
    const basic = `Basic ${Buffer.from(`${pair}:${encodeURIComponent(secret)}`).toString("base64")}`
    return authorization === basic && form.client_id === undefined && form.client_secret === undefined
      ? id
      : undefined
  }

  const give = () => {
    const refresh_token = `refresh-${randomUUID()}`
    refreshable.add(refresh_token)
    const given = {
      access_token: `access-${randomUUID()}`,
      token_type: "Bearer",
      refresh_token,
      expires_in: 3600
    }
    return Pages.json({ ...given, ...manner.gives })
  }

  const isProven = (approved: Approved | undefined, form: Readonly<Record<string, string>>, client: string) =>
    approved !== undefined &&
    approved.clientId === client &&
    approved.redirectUri === form.redirect_uri &&
    /^[\w-]{64}$/.test(form.code_verifier ?? "") &&
    approved.challenge ===
      createHash("sha256")
        .update(form.code_verifier ?? "")
        .digest("base64url")

  const token = (request: OutboundRequest) => {
    const form = formOf(request)
    asked.grants.push(form.grant_type ?? "")
    assert.strictEqual(request.redirects, 0)
    if (manner.answers !== undefined) return Pages.json(manner.answers.body, manner.answers.status)
    const client = clientOf(request, form)
    if (client === undefined) return Pages.json({ error: "invalid_client" }, 401)
    const named = { resource, ...manner.resourceTells }.resource
    if (form.resource !== named) return Pages.json({ error: "invalid_target" }, 400)
    if (form.grant_type === "refresh_token") {
      return refreshable.delete(form.refresh_token ?? "")
        ? give()
        : Pages.json({ error: "invalid_grant" }, 400)
    }
    const approved = codes.get(form.code ?? "")
    codes.delete(form.code ?? "")
    const isRight = form.grant_type === "authorization_code" && isProven(approved, form, client)
    return isRight ? give() : Pages.json({ error: "invalid_grant" }, 400)
  }

  const register = (request: OutboundRequest) => {
    assert.strictEqual(request.body?.contentType, "application/json")
    asked.registrations.push(jsonOf(request))
    const { body, status } = manner.registers ?? { status: 201, body: { client_id: `registered-${name}` } }
    return Pages.json(body, status)
  }

  /** Puts the resource and its server into the web, in this manner. */
  const appear = (how: Manner = {}) =>
    Effect.sync(() => {
      manner = how
      asked.registrations.length = 0
      asked.grants.length = 0
      Pages.put(
        `https://${name}.${domain}/.well-known/oauth-protected-resource/mcp`,
        Pages.json({
          resource,
          authorization_servers: [issuer],
          resource_name: "Archive",
          ...how.resourceTells
        })
      )
      Pages.put(`${issuer}/.well-known/oauth-authorization-server`, Pages.json(documentOfServer()))
      Pages.put(`${issuer}/register`, register)
      Pages.put(`${issuer}/token`, (request) =>
        Effect.andThen(
          manner.before ?? Effect.void,
          Effect.suspend(() => token(request))
        )
      )
    })

  /** Changes the manner of the server from now on, without its documents. */
  const behave = (how: Manner) =>
    Effect.sync(() => {
      manner = how
    })

  /** Somebody approves, where the answer sends a browser: what it brings back. */
  const approve = (begun: Answer) => {
    const { origin, pathname, searchParams } = new URL(begun.json.authorization_url)
    const { client_id, code_challenge, redirect_uri, state, ...rest } = Object.fromEntries(searchParams)
    assert.strictEqual(`${origin}${pathname}`, `${issuer}/authorize`)
    const { scope: _, ...fixed } = rest
    const named = { resource, ...manner.resourceTells }.resource
    assert.deepStrictEqual(fixed, {
      response_type: "code",
      code_challenge_method: "S256",
      ...(named === undefined ? {} : { resource: named })
    })
    assert.match(state ?? "", /^[\w-]{43}$/)
    assert.match(code_challenge ?? "", /^[\w-]{43}$/)
    const code = randomUUID()
    codes.set(code, {
      clientId: client_id ?? "",
      challenge: code_challenge ?? "",
      redirectUri: redirect_uri ?? ""
    })
    return { state: state ?? "", code }
  }

  return { resource, issuer, asked, appear, behave, approve } as const
}

export type Remote = ReturnType<typeof makeRemote>

export const cimd = { client_id_metadata_document_supported: true } as const

export const dcr = (remote: Remote) => ({ registration_endpoint: `${remote.issuer}/register` })

export { own as ownClientId }
