import { assert, describe, it } from "@effect/vitest"
import { Duration, Result } from "effect"
import {
  freshFor,
  isDocumentAddress,
  readDocument,
  refusalOfDocumentAddress
} from "../../../src/domain/oauthdocument/ClientDocumentRules.ts"
import type { DocumentSettings } from "../../../src/domain/oauthdocument/DocumentSettings.ts"
import { Permission } from "../../../src/domain/shared/Permission.ts"
import { standardScopes } from "../../../src/domain/vocabulary/Scope.ts"

const usual: DocumentSettings = {
  enabled: true,
  allowedPermissions: [],
  allowsPrivileged: false,
  allowsInsecure: false
}

const address = "https://tides.example/client"

describe("an id of a client", () => {
  it.each([
    [address, true],
    ["http://tides.example/client", true],
    ["HTTPS://tides.example", true],
    ["https://", false],
    ["ftp://tides.example/client", false],
    ["storyden-cli", false],
    ["foc_x", false],
    ["", false]
  ])("%j is the address of a document: %j", (clientId, expected) => {
    assert.strictEqual(isDocumentAddress(clientId), expected)
  })
})

describe("the address of a document", () => {
  const accepted = [
    address,
    "https://tides.example/client.json?version=2",
    "https://tides.example/a/b/",
    "https://tides.example:8443/client",
    "https://1.1.1.1/client",
    "https://[2606:4700:4700::1111]/client",
    `${address}${"x".repeat(500 - address.length)}`
  ]

  it.each(accepted)("may be %s", (clientId) => {
    assert.isUndefined(refusalOfDocumentAddress(clientId, usual))
  })

  const refused = [
    "http://tides.example/client",
    "https://tides.example",
    "https://tides.example/",
    "https://tides.example/?a=b",
    "https://user@tides.example/client",
    "https://user:secret@tides.example/client",
    "https://tides.example/client#part",
    "https://tides.example/client#",
    "https://tides.example/a/../client",
    "https://tides.example/./client",
    "https://tides.example/%2e%2e/client",
    "https://tides.example/client/..",
    "https://TIDES.example/client",
    "https://tides.example:443/client",
    "https:\\\\tides.example\\client",
    "https:tides.example/client",
    "https://tides.example/a b",
    "https://localhost/client",
    "https://a.localhost/client",
    "https://localhost./client",
    "https://127.0.0.1/client",
    "https://127.1/client",
    "https://0/client",
    "https://10.0.0.1/client",
    "https://169.254.169.254/client",
    "https://192.168.1.1/client",
    "https://[::1]/client",
    "https://[::ffff:127.0.0.1]/client",
    "https://[fd00::1]/client",
    "https://1.1.1.1:22/client",
    `${address}${"x".repeat(501 - address.length)}`
  ]

  it.each(refused)("may not be %s", (clientId) => {
    assert.isString(refusalOfDocumentAddress(clientId, usual))
  })

  it("may be of this machine, and http, in development alone", () => {
    const development = { ...usual, allowsInsecure: true }
    for (const clientId of [
      "http://tides.example/client",
      "http://localhost:8000/client",
      "http://127.0.0.1:1/x"
    ]) {
      assert.isString(refusalOfDocumentAddress(clientId, usual))
      assert.isUndefined(refusalOfDocumentAddress(clientId, development), clientId)
    }
    for (const clientId of ["http://localhost/", "http://a@localhost/x", "http://localhost/x#y"]) {
      assert.isString(refusalOfDocumentAddress(clientId, development), clientId)
    }
  })
})

const redirect_uris = ["https://tides.example/callback"]

const read = (
  document: unknown,
  more: {
    readonly status?: number
    readonly type?: string
    readonly settings?: Partial<DocumentSettings>
  } = {}
) =>
  readDocument(
    address,
    {
      status: more.status ?? 200,
      headers: { "content-type": more.type ?? "application/json" },
      body: document instanceof Uint8Array ? document : new TextEncoder().encode(JSON.stringify(document))
    },
    { ...usual, ...more.settings }
  )

const document = (more: object = {}) => ({ client_id: address, redirect_uris, ...more })

const accept = (more: object = {}, settings: Partial<DocumentSettings> = {}) => {
  const client = read(document(more), { settings })
  return Result.isSuccess(client) ? client.success : assert.fail(client.failure)
}

describe("a document", () => {
  it("describes a public client", () => {
    assert.deepStrictEqual(accept(), {
      clientId: address,
      name: address,
      redirectUris: redirect_uris,
      allowedScopes: standardScopes,
      allowedGrants: ["authorization_code", "refresh_token"]
    })
  })

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/client+json",
    "Application/JSON"
  ])("may come as %s", (type) => {
    assert.isTrue(Result.isSuccess(read(document(), { type })))
  })

  it.each(["", "text/html", "text/json", "application/jsonp", "application/xml", "application/+json"])(
    "may not come as %j",
    (type) => {
      assert.isTrue(Result.isFailure(read(document(), { type })))
    }
  )

  it.each([201, 204, 301, 302, 304, 404, 500])("may not come with status %d", (status) => {
    assert.isTrue(Result.isFailure(read(document(), { status })))
  })

  const refused: ReadonlyArray<unknown> = [
    null,
    [],
    "x",
    {},
    { redirect_uris },
    document({ client_id: `${address}/` }),
    document({ client_id: "https://tides.example/other" }),
    document({ client_id: 1 }),
    document({ redirect_uris: undefined }),
    document({ redirect_uris: [] }),
    document({ redirect_uris: "https://tides.example/callback" }),
    document({ redirect_uris: [...redirect_uris, "http://tides.example/"] }),
    document({ redirect_uris: ["myapp://callback"] }),
    document({ redirect_uris: ["https://tides.example/*"] }),
    document({ redirect_uris: Array.from({ length: 11 }, (_, n) => `https://tides.example/${n}`) }),
    document({
      redirect_uris: Array.from({ length: 2 }, (_, n) => `https://tides.example/${n}${"x".repeat(1000)}`)
    }),
    document({ token_endpoint_auth_method: "client_secret_basic" }),
    document({ token_endpoint_auth_method: null }),
    document({ client_secret: "secret" }),
    document({ client_secret: "" }),
    document({ client_secret_expires_at: 0 }),
    document({ client_name: 1 }),
    document({ scope: ["openid"] }),
    new TextEncoder().encode("{"),
    new Uint8Array([0x22, 0xff, 0x22])
  ]

  it.each(refused)("is refused where it is %j", (sent) => {
    assert.isTrue(Result.isFailure(read(sent)))
  })

  it.each([
    [{ client_name: "  Tide\ntables " }, "Tide tables"],
    [{ client_name: " \u200b" }, address],
    [{ client_name: "a\0b\u202e" }, "ab"],
    [{ client_name: "x".repeat(101) }, "x".repeat(100)],
    [{ client_name: "👩".repeat(101) }, "👩".repeat(100)]
  ])("%j has the name %j", (more, name) => {
    assert.strictEqual(accept(more).name, name)
  })

  it("names each address and scope once, in the order in which they stand", () => {
    const twice = accept({
      redirect_uris: [...redirect_uris, ...redirect_uris],
      scope: "email openid  email"
    })
    assert.deepStrictEqual(twice.redirectUris, redirect_uris)
    assert.deepStrictEqual(twice.allowedScopes, ["email", "openid"])
  })

  it("leaves out what such clients may not have", () => {
    const scope = ["unknown", "openid", ...Permission.literals].join(" ")
    const reading = [
      "READ_PUBLISHED_THREADS",
      "READ_PUBLISHED_LIBRARY",
      "LIST_PROFILES",
      "READ_PROFILE",
      "LIST_COLLECTIONS",
      "READ_COLLECTION"
    ]
    const scopesWith = (settings: Partial<DocumentSettings>) => [...accept({ scope }, settings).allowedScopes]
    assert.sameMembers(scopesWith({}), ["openid", ...reading])
    assert.sameMembers(scopesWith({ allowsPrivileged: true }), ["openid", ...reading])
    const allowedPermissions: ReadonlyArray<Permission> = ["CREATE_POST", "ADMINISTRATOR", "MANAGE_ROLES"]
    assert.sameMembers(scopesWith({ allowedPermissions }), ["openid", "CREATE_POST"])
    assert.sameMembers(scopesWith({ allowedPermissions, allowsPrivileged: true }), [
      "openid",
      "CREATE_POST",
      "ADMINISTRATOR",
      "MANAGE_ROLES"
    ])
    assert.deepStrictEqual(accept({ scope: "ADMINISTRATOR unknown" }).allowedScopes, [])
  })

  it.each([
    [{}, true],
    [{ scope: "openid" }, false],
    [{ scope: "openid offline_access" }, true],
    [{ grant_types: ["authorization_code"] }, false],
    [{ grant_types: ["authorization_code", "refresh_token"] }, true],
    [{ grant_types: ["refresh_token"], scope: "openid" }, false]
  ])("%j gets tokens that refresh: %j", (more, refreshes) => {
    const grants: ReadonlyArray<string> = refreshes
      ? ["authorization_code", "refresh_token"]
      : ["authorization_code"]
    assert.deepStrictEqual<ReadonlyArray<string>>(accept(more).allowedGrants, grants)
  })
})

describe("a document is fresh", () => {
  it.each([
    [undefined, 300],
    ["", 300],
    ["public", 300],
    ["max-age=60", 60],
    ["public, Max-Age=60", 60],
    ['max-age="60"', 60],
    ["max-age=3600", 3600],
    ["max-age=3601", 3600],
    ["max-age=9999999999", 3600],
    ["max-age=0", 0],
    ["max-age=-1", 0],
    ["max-age=x", 300],
    ["s-maxage=60", 300],
    ["no-store", 0],
    ["no-cache", 0],
    ["max-age=60, no-store", 0],
    ["No-Cache, max-age=60", 0],
    ['no-cache="set-cookie"', 0]
  ])("after %j for %d seconds", (cacheControl, seconds) => {
    assert.strictEqual(Duration.toSeconds(freshFor(cacheControl)), seconds)
  })
})
