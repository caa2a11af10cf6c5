/** The documents that tell programs how to sign in here, at the addresses where they are looked for. */
import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { clientMetadata, clientMetadataPath } from "../../domain/discovery/ClientMetadata.ts"
import {
  authorisationServer,
  openidConfiguration,
  protectedResource,
  protectedResourcePath as resource
} from "../../domain/discovery/Discovery.ts"
import { DocumentSettings } from "../../domain/oauthdocument/DocumentSettings.ts"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { InstanceSettings } from "../../domain/settings/InstanceSettings.ts"
import { oauthDisabled } from "../../domain/signing/SigningKey.ts"
import { problemResponse } from "../pipeline/ProblemResponse.ts"
import { named, RequestContext } from "../pipeline/RequestContext.ts"
import { pathOf } from "../pipeline/Unrouted.ts"

/** Under the origin, also with the path of the API after it (RFC 8414, 3.1). */
const documents = {
  "/.well-known/openid-configuration": openidConfiguration,
  "/.well-known/openid-configuration/api": openidConfiguration,
  "/.well-known/oauth-authorization-server": authorisationServer,
  "/.well-known/oauth-authorization-server/api": authorisationServer
} as const

const isDocument = (path: string): path is keyof typeof documents => path in documents

const documentPaths = Object.keys(documents).filter(isDocument)

/** Each document is at the origin and below the API, where programs look that know the address of the API alone. */
const places = ["", "/api"] as const

export const paths = Object.fromEntries(
  places.flatMap((place) =>
    [...documentPaths, resource, `${resource}/*`, clientMetadataPath].map(
      (path) => [`${place}${path}`, ["GET"]] as const
    )
  )
)

const headers = { "cache-control": "public, max-age=3600" }

/** The path of the resource that an address in this place asks about. */
const resourceOf = (place: string, request: HttpServerRequest.HttpServerRequest): string =>
  pathOf(request).slice(`${place}${resource}`.length) || "/"

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const deployment = yield* Deployment
    const { mcpEnabled, oauthEnabled, publicUrl } = deployment
    const { general } = yield* InstanceSettings
    const issuer = addressOf(publicUrl)
    const { enabled: takesDocuments } = yield* DocumentSettings
    const disabled = Effect.map(RequestContext, ({ traceId }) => problemResponse(oauthDisabled(), traceId))

    const answer = (body: object) =>
      named(
        "discovery",
        oauthEnabled ? Effect.succeed(HttpServerResponse.jsonUnsafe(body, { headers })) : disabled
      )

    const aboutResource = (place: string) => (request: HttpServerRequest.HttpServerRequest) =>
      answer(protectedResource(issuer, resourceOf(place, request), mcpEnabled))
    // The service is a client of others also where it is no server.
    const aboutUs = Effect.map(general, ({ title }) =>
      HttpServerResponse.jsonUnsafe(clientMetadata(deployment, title), { headers })
    )
    for (const place of places) {
      for (const path of documentPaths)
        yield* router.add("GET", `${place}${path}`, answer(documents[path](issuer, takesDocuments)))
      yield* router.add("GET", `${place}${clientMetadataPath}`, named("discovery", aboutUs))
      // This is also a route for the address without anything after it.
      yield* router.add("GET", `${place}${resource}/*`, aboutResource(place))
    }
  })
)
