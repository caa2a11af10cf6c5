/**
 * An authorisation server that others have written (the package oidc-provider), on this machine, with a resource beside it,
 * and a browser whose person approves what it is asked.
 */
import { generateKeyPairSync } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect, Layer } from "effect"
import { Dns, IpNetwork } from "effect/net"
import { Provider } from "oidc-provider"
import MemoryAdapter from "oidc-provider/lib/adapters/memory_adapter.js"
import { Outbound } from "../../src/domain/outbound/Outbound.ts"
import { make } from "../../src/layers/adapters/outbound/GuardedOutbound.ts"
import { Names } from "../../src/layers/adapters/outbound/Names.ts"

export const person = "odin-at-the-provider"

/** A client that somebody has registered at the provider. */
export interface Registered {
  readonly client_id: string
  readonly client_secret: string
  readonly redirect_uris: ReadonlyArray<string>
}

const signingKey = {
  ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }),
  use: "sig",
  alg: "ES256",
  kid: "one"
}

/** The server warns of its own class, which keeps what it stores in memory, and not of this one. */
class Forgetful extends MemoryAdapter {}

const resourceScope = "read write"

const configuration = (resource: string, clients: ReadonlyArray<Registered>) => ({
  adapter: Forgetful,
  clients: clients.map((client) => ({ ...client, id_token_signed_response_alg: "ES256" })),
  clientDefaults: { id_token_signed_response_alg: "ES256" },
  enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
  jwks: { keys: [signingKey] },
  cookies: { keys: ["a key of the tests"] },
  scopes: ["openid", "profile", "email", "offline_access", "read", "write"],
  claims: {
    openid: ["sub"],
    profile: ["preferred_username", "name"],
    email: ["email", "email_verified"]
  },
  ttl: {
    AccessToken: 3600,
    Grant: 86_400,
    IdToken: 3600,
    Interaction: 3600,
    RefreshToken: 86_400,
    Session: 86_400
  },
  findAccount: (_: unknown, sub: string) => ({
    accountId: sub,
    claims: () => ({
      sub,
      preferred_username: "allfather",
      name: "Odin of Asgard",
      email: "odin@provider.example",
      email_verified: true
    })
  }),
  issueRefreshToken: () => true,
  pkce: { required: () => true },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_: unknown, indicator: string) => {
        if (indicator !== resource) throw new Error(`There is no resource ${indicator}`)
        return { scope: resourceScope, audience: resource, accessTokenFormat: "opaque" }
      }
    }
  }
})

/** The person signs in and approves all that is asked. */
const approve = async (provider: Provider, request: IncomingMessage, response: ServerResponse) => {
  const { client_id, resource, scope = "" } = (await provider.interactionDetails(request, response)).params
  const grant = new provider.Grant({ accountId: person, clientId: client_id })
  grant.addOIDCScope(scope)
  if (resource !== undefined) grant.addResourceScope(resource, resourceScope)
  const grantId = await grant.save()
  await provider.interactionFinished(request, response, {
    login: { accountId: person },
    consent: { grantId }
  })
}

/** Starts the server on any free port; it ends with the scope. */
export const serveProvider = Effect.fnUntraced(function* (clients: ReadonlyArray<Registered> = []) {
  const server = createServer()
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))),
    () =>
      Effect.sync(() => server.closeAllConnections()).pipe(Effect.andThen(Effect.sync(() => server.close())))
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const issuer = `http://127.0.0.1:${port}`
  const resource = `${issuer}/mcp`
  const provider = new Provider(issuer, configuration(resource, clients))
  const answer = provider.callback()
  const asked: Array<string> = []
  server.on("request", (request, response) => {
    const path = request.url?.split("?", 1)[0] ?? ""
    asked.push(`${request.method} ${path}`)
    if (path === "/.well-known/oauth-protected-resource/mcp") {
      response.writeHead(200, { "content-type": "application/json" })
      return response.end(JSON.stringify({ resource, authorization_servers: [issuer] }))
    }
    if (path.startsWith("/interaction/")) {
      approve(provider, request, response).catch((cause: unknown) =>
        response.writeHead(500).end(String(cause))
      )
      return
    }
    return answer(request, response)
  })
  return { issuer, resource, asked, provider } as const
})

/** A browser goes to an address of the provider and approves there: with what it comes back to the service. */
export const visit = (issuer: string, address: string): Promise<URL> => {
  const cookies = new Map<string, string>()
  const go = async (url: URL, further: number): Promise<URL> => {
    if (url.origin !== issuer) return url
    if (further === 0) throw new Error(`There are too many redirects, to ${url.href}`)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, { redirect: "manual", headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === "") cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get("location")
    if (location === null) throw new Error(`${url.href}: ${response.status} ${await response.text()}`)
    return await go(new URL(location, url), further - 1)
  }
  return go(new URL(address), 10)
}

// What is asked for has an address of this machine, no name.
const noNames = Layer.succeed(Names, {
  addressesOf: (hostname) =>
    Effect.fail(new Dns.DnsError({ reason: "NotFound", method: "resolve", hostname }))
})

/** Requests of the service reach this machine, through the guard. */
export const outbound = Layer.effect(
  Outbound,
  make({ userAgent: "tests/1", opened: [IpNetwork.fromStringUnsafe("127.0.0.0/8")] })
).pipe(Layer.provide(noNames))
