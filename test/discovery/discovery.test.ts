/** The documents by which programs find out how to sign in here. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  authorisationServer,
  endpointPaths,
  endpoints,
  openidConfiguration,
  protectedResource
} from "../../src/domain/discovery/Discovery.ts"
import { OAuthDisabled } from "../../src/domain/signing/SigningKey.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { endpointsOf } from "../../src/http/contract/Endpoints.ts"
import { MethodNotAllowed } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { call } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const base = "http://forum.test"

/** Where documents are: at the origin, and below the API. */
const places = ["", "/api"].map((place) => `${place}/.well-known`)

const serverDocuments = places.flatMap((place) =>
  ["oauth-authorization-server", "openid-configuration"].flatMap((name) => [
    `${place}/${name}`,
    `${place}/${name}/api`
  ])
)

const resources: ReadonlyArray<readonly [suffix: string, resource: string]> = [
  ["", base],
  ["/", base],
  ["/api", `${base}/api`],
  ["/mcp/sse", `${base}/mcp/sse`],
  ["/any/other/thing", `${base}/any/other/thing`],
  ["/with%20space?and=a-query", `${base}/with%20space`]
]

const resourceDocuments = places.flatMap((place) =>
  resources.map(([suffix, resource]) => [`${place}/oauth-protected-resource${suffix}`, resource] as const)
)

const clientDocuments = places.map((place) => `${place}/oauth-client-metadata`)

layer(TestApp.layer)("a document of discovery", (it) => {
  it.effect("about the server names the keys, wherever it is looked for", () =>
    Effect.gen(function* () {
      for (const path of serverDocuments) {
        const answer = yield* call("GET", path)
        const about = path.includes("openid") ? openidConfiguration : authorisationServer
        assert.deepStrictEqual(ok(answer), about(base, false), path)
        assert.strictEqual(answer.headers["cache-control"], "public, max-age=3600")
        assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/)
      }
    })
  )

  it.effect("about a resource names it, whatever its path", () =>
    Effect.gen(function* () {
      for (const [path, resource] of resourceDocuments) {
        const answer = yield* call("GET", path)
        assert.deepStrictEqual(
          ok(answer),
          protectedResource(base, resource.slice(base.length) || "/", false),
          path
        )
        assert.strictEqual(answer.headers["cache-control"], "public, max-age=3600")
      }
    })
  )

  it.effect("names the endpoints that the service has, all of them and no others", () =>
    Effect.sync(() => {
      const paths = new Set<string>(endpointsOf(ForumApi).map(({ endpoint }) => endpoint.path))
      for (const [name, path] of Object.entries(endpointPaths)) {
        assert.strictEqual(
          endpoints.some((existing) => existing === name),
          paths.has(path),
          name
        )
      }
    })
  )

  it.effect("is read, and nothing else", () =>
    Effect.gen(function* () {
      for (const path of [
        ...serverDocuments,
        ...clientDocuments,
        ...resourceDocuments.map(([path]) => path)
      ]) {
        const refused = yield* call("POST", path, { body: {} })
        assertProblem(refused, MethodNotAllowed, { allow: ["GET", "HEAD", "OPTIONS"] })
        const head = yield* call("HEAD", path)
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
      }
    })
  )

  it.effect("does not exist under other names", () =>
    Effect.gen(function* () {
      for (const path of [
        "/.well-known/openid-configuration/other",
        "/.well-known/oauth-protected-resources",
        "/.well-known/nothing",
        "/api/.well-known/openid-configuration/other",
        "/api/.well-known/oauth-protected-resources",
        "/api/api/.well-known/openid-configuration"
      ]) {
        assert.strictEqual((yield* call("GET", path)).status, 404, path)
      }
    })
  )
})

layer(TestApp.layerWhere({ publicUrl: new URL("https://example.test/forum/") }))(
  "a document of discovery of an instance below a path",
  (it) => {
    it.effect("has addresses below it", () =>
      Effect.gen(function* () {
        const issuer = "https://example.test/forum"
        const server = ok(yield* call("GET", "/.well-known/oauth-authorization-server"))
        assert.deepStrictEqual(server, authorisationServer(issuer, false))
        assert.strictEqual(server.jwks_uri, `${issuer}/api/oauth/jwks`)
        const { resource } = ok(yield* call("GET", "/.well-known/oauth-protected-resource/api"))
        assert.strictEqual(resource, `${issuer}/api`)
        const { client_id } = ok(yield* call("GET", "/.well-known/oauth-client-metadata"))
        assert.strictEqual(client_id, `${issuer}/.well-known/oauth-client-metadata`)
      })
    )
  }
)

layer(TestApp.layerWhere({ oauthEnabled: false }))("a document of discovery without OAuth", (it) => {
  it.effect("about the service as a client of others is there all the same", () =>
    Effect.gen(function* () {
      for (const path of clientDocuments) {
        const answer = yield* call("GET", path)
        assert.deepStrictEqual(ok(answer), {
          client_id: `${base}/.well-known/oauth-client-metadata`,
          client_name: "Forum",
          client_uri: "http://www.forum.test",
          redirect_uris: ["http://www.forum.test/oauth/remote/callback"],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: "none"
        })
        assert.strictEqual(answer.headers["cache-control"], "public, max-age=3600")
        assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/)
      }
    })
  )

  it.effect("is not there, and says why", () =>
    Effect.gen(function* () {
      const suggested = "Ask the administrator of the instance to enable OAuth."
      for (const path of [...serverDocuments, ...resourceDocuments.map(([path]) => path)]) {
        assertProblem(yield* call("GET", path), OAuthDisabled, { code: "oauth_disabled", suggested })
      }
    })
  )
})
