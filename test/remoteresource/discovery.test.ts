/** Finding out how to get tokens for a resource of somebody else. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OutboundFailed } from "../../src/domain/outbound/Outbound.ts"
import {
  type DiscoveryStage,
  RemoteAddressRefused,
  RemoteDiscoveryFailed
} from "../../src/domain/remoteresource/RemoteRefusal.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { permission, withKey } from "../support/keys.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { cimd, dcr, makeRemote, ownClientId, page } from "../support/remote.ts"
import { discover, passUntilDone, permit } from "./support.ts"

const remote = makeRemote("archive")
const { issuer, resource } = remote

const ofResource = "https://archive.test/.well-known/oauth-protected-resource"
const ofServer = `${issuer}/.well-known/oauth-authorization-server`
const ofOpenId = `${issuer}/.well-known/openid-configuration`

const notFound = Pages.json({}, 404)
const about = { resource, authorization_servers: [issuer] }
const endpoints = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`
}

const redirect = (location: string, status = 302) =>
  Effect.map(Pages.json({}, status), (answer) => ({ ...answer, headers: { location } }))

type Reason = RemoteDiscoveryFailed["metadata"]["reason"]

const failed = (stage: DiscoveryStage, reason: Reason) => ({ stage, reason })

layer(People.layer)("discovery", (it) => {
  it.effect(
    "answers what the resource and its server tell, and how the server gets to know the service",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const lists = {
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code"],
          token_endpoint_auth_methods_supported: ["none"],
          code_challenge_methods_supported: ["S256"]
        }
        const modes = [
          [{}, "manual"],
          [dcr(remote), "dcr"],
          [{ ...dcr(remote), ...cimd }, "cimd"],
          [cimd, "cimd"]
        ] as const
        for (const [told, mode] of modes) {
          yield* remote.appear({ tells: { ...lists, ...told, jwks_uri: `${issuer}/keys` } })
          yield* Effect.sync(() => Pages.asked.splice(0))
          assert.deepStrictEqual(ok(yield* discover(odin, resource)), {
            resource_url: resource,
            protected_resource_metadata: { ...about, resource_name: "Archive" },
            authorization_server: issuer,
            authorization_server_metadata: {
              ...endpoints,
              ...lists,
              client_id_metadata_document_supported: false,
              ...told
            },
            mode,
            client_id: ownClientId,
            redirect_uri: page
          })
          assert.deepStrictEqual(Pages.asked, [`${ofResource}/mcp`, ofServer])
        }
      })
  )

  it.effect("takes an address as browsers do, and leaves its query out", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* remote.appear()
      const found = ok(yield* discover(odin, "HTTPS://Archive.TEST:443/mcp?session=1"))
      assert.strictEqual(found.resource_url, "https://archive.test/mcp?session=1")
      Pages.put(ofResource, Pages.json({ ...about, resource: "https://archive.test" }))
      assert.strictEqual(
        ok(yield* discover(odin, "https://archive.test")).resource_url,
        "https://archive.test/"
      )
    })
  )

  it.effect("looks where others put their documents", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* remote.appear()
      Pages.put(`${ofResource}/mcp`, notFound)
      Pages.put(ofResource, Pages.json({ authorization_servers: [`${issuer}/`] }))
      Pages.put(ofServer, notFound)
      Pages.put(ofOpenId, Pages.json({ ...endpoints, issuer: `${issuer}/` }))
      yield* Effect.sync(() => Pages.asked.splice(0))
      const found = ok(yield* discover(odin, resource))
      assert.strictEqual(found.authorization_server, issuer)
      assert.deepStrictEqual(Pages.asked, [`${ofResource}/mcp`, ofResource, ofServer, ofOpenId])
      // What fails otherwise is not looked for elsewhere.
      Pages.put(`${ofResource}/mcp`, Pages.json({}, 410))
      const gone = failed("protected_resource", "status")
      assertProblem(yield* discover(odin, resource), RemoteDiscoveryFailed, gone)
      yield* remote.appear()
      Pages.put(ofServer, Pages.json(endpoints, 503))
      const down = failed("authorization_server", "status")
      assertProblem(yield* discover(odin, resource), RemoteDiscoveryFailed, down)
    })
  )

  it.effect("follows ten redirects, each to an address that is used", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* remote.appear()
      const step = (n: number) => `https://archive.test/step/${n}`
      const chain = (length: number) => {
        Pages.put(`${ofResource}/mcp`, redirect("/step/1", 301))
        for (let n = 1; n < length; n++) Pages.put(step(n), redirect(step(n + 1), 308))
        Pages.put(step(length), Pages.json(about))
      }
      chain(10)
      ok(yield* discover(odin, resource))
      chain(11)
      const tooMany = failed("protected_resource", "unreachable")
      assertProblem(yield* discover(odin, resource), RemoteDiscoveryFailed, tooMany)
      const wrong = failed("protected_resource", "address")
      for (const location of [
        "http://archive.test/",
        "http://localhost/",
        "https://user@archive.test/",
        "https://archive.test/#x",
        "file:///etc/passwd"
      ]) {
        Pages.put(`${ofResource}/mcp`, redirect(location))
        yield* Effect.sync(() => Pages.asked.splice(0))
        assertProblem(yield* discover(odin, resource), RemoteDiscoveryFailed, wrong)
        assert.deepStrictEqual(Pages.asked, [`${ofResource}/mcp`], location)
      }
    })
  )

  it.effect("has ten seconds for a document, with its redirects", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* remote.appear()
      const there = "https://archive.test/there"
      for (const [seconds, whole] of [
        [4, true],
        [6, false]
      ] as const) {
        Pages.put(`${ofResource}/mcp`, Effect.delay(redirect(there), `${seconds} seconds`))
        Pages.put(there, Effect.delay(Pages.json(about), `${seconds} seconds`))
        const answer = yield* passUntilDone(yield* Effect.forkChild(discover(odin, resource)))
        if (whole) ok(answer)
        else assertProblem(answer, RemoteDiscoveryFailed, failed("protected_resource", "unreachable"))
      }
    })
  )

  it.effect("bounds every answer", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* remote.appear()
      Pages.put(ofServer, (request) => {
        const { accept, beyond, body, headers, maxBytes, redirects, within } = request
        assert.deepStrictEqual(
          { accept, beyond, body, headers, maxBytes, redirects, within },
          {
            accept: "application/json",
            beyond: "failure",
            body: undefined,
            headers: undefined,
            maxBytes: 256 * 1024,
            redirects: 0,
            within: "10 seconds"
          }
        )
        return Pages.json(endpoints)
      })
      ok(yield* discover(odin, resource))
      for (const reason of ["size", "time", "name", "connection", "encoding"] as const) {
        Pages.put(ofServer, Effect.fail(new OutboundFailed({ url: ofServer, reason })))
        const unreachable = failed("authorization_server", "unreachable")
        assertProblem(yield* discover(odin, resource), RemoteDiscoveryFailed, unreachable)
      }
    })
  )

  it.effect("says at which document it failed, and why", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const resources: ReadonlyArray<readonly [document: Parameters<typeof Pages.put>[1], reason: Reason]> = [
        [Pages.page("<html>"), "document"],
        [Pages.json({}), "document"],
        [Pages.json({ authorization_servers: [] }), "document"],
        [Pages.json({ authorization_servers: ["http://id.archive.test"] }), "address"],
        [Pages.json({ ...about, resource: "https://bank.test/" }), "resource"]
      ]
      yield* remote.appear()
      for (const [document, reason] of resources) {
        Pages.put(`${ofResource}/mcp`, document)
        const why = failed("protected_resource", reason)
        assertProblem(yield* discover(odin, resource), RemoteDiscoveryFailed, why)
      }
      yield* remote.appear()
      const servers: ReadonlyArray<readonly [document: object, reason: Reason]> = [
        [{ ...endpoints, token_endpoint: undefined }, "document"],
        [{ ...endpoints, token_endpoint: "http://id.archive.test/token" }, "address"],
        [{ ...endpoints, issuer: "https://id.bank.test" }, "issuer"],
        [{ ...endpoints, code_challenge_methods_supported: ["plain"] }, "unsupported"]
      ]
      for (const [document, reason] of servers) {
        Pages.put(ofServer, Pages.json(document))
        const why = failed("authorization_server", reason)
        assertProblem(yield* discover(odin, resource), RemoteDiscoveryFailed, why)
      }
      const nowhere = failed("protected_resource", "unreachable")
      assertProblem(yield* discover(odin, "https://nowhere.test/"), RemoteDiscoveryFailed, nowhere)
    })
  )

  it.effect("asks nobody about an address that is not used", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* Effect.sync(() => Pages.asked.splice(0))
      for (const [address, reason] of [
        ["", "address"],
        ["archive.test", "address"],
        ["https://user:hush@archive.test/", "credentials"],
        ["https://archive.test/#x", "fragment"],
        ["http://archive.test/mcp", "scheme"],
        ["http://169.254.169.254/latest/meta-data", "scheme"],
        [`https://archive.test/${"ü".repeat(170)}`, "length"]
      ] as const) {
        const why = { field: "resource_url", reason }
        assertProblem(yield* discover(odin, address), RemoteAddressRefused, why)
      }
      assertInvalid(yield* discover(odin, "x".repeat(1001)), "body resource_url")
      assertInvalid(yield* discover(odin, undefined), "body resource_url")
      assertInvalid(yield* discover(odin, ["https://archive.test/"]), "body resource_url")
      assert.deepStrictEqual(Pages.asked, [])
    })
  )

  it.effect("is for those who may manage robots, also by a key", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      yield* remote.appear()
      assertProblem(yield* discover(guest, resource), Unauthenticated)
      assertProblem(yield* discover(freya, resource), Forbidden, { permission: "MANAGE_ROBOTS" })
      yield* permit(tyr, permission)
      ok(yield* discover(tyr, resource))
      ok(yield* discover(yield* withKey(tyr), resource))
    })
  )
})
