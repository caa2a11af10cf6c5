import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { Timestamp } from "../../../src/domain/field/Resource.ts"
import { client } from "../../../src/domain/oauthclient/OAuthClientExamples.ts"
import type { Grant } from "../../../src/domain/oauthclient/OAuthClientFields.ts"
import {
  type ClientChange,
  type ClientForm,
  changeable,
  decideChange,
  decideForm,
  decideOwnChange,
  decidePermissions,
  decideRemoval,
  decideSecret,
  ownership
} from "../../../src/domain/oauthclient/OAuthClientRules.ts"
import type { StoredClient } from "../../../src/domain/oauthclient/OAuthClientStore.ts"
import { AccountId, OAuthClientId } from "../../../src/domain/shared/Id.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"

const owner = AccountId.make(client.account_id)
const other = AccountId.make("00000000000000000990")

const stored = (more: Partial<StoredClient["shown"]> = {}, isBuiltIn = false): StoredClient => ({
  shown: {
    ...client,
    id: OAuthClientId.make(client.id),
    createdAt: Timestamp.make(client.createdAt),
    updatedAt: Timestamp.make(client.updatedAt),
    account_id: owner,
    ...more
  },
  isBuiltIn,
  pkceRequired: true
})

/** The rule that is broken, the tag of another failure, or nothing. */
const refusal = (
  result: Result.Result<unknown, { readonly _tag: string; readonly metadata?: object }>
): unknown =>
  Result.match(result, {
    onSuccess: () => undefined,
    onFailure: ({ _tag, metadata }) => (metadata !== undefined && "rule" in metadata ? metadata.rule : _tag)
  })

const device: Grant = "urn:ietf:params:oauth:grant-type:device_code"
const redirect = "https://a.example/cb"

describe("a client of one's own", () => {
  const form = (
    type: ClientForm["type"],
    allowedGrants: ReadonlyArray<Grant>,
    redirectUris: ReadonlyArray<string> = [],
    pkceRequired = true
  ): ClientForm => ({ type, allowedGrants, redirectUris, pkceRequired })

  it.each<readonly [form: ClientForm, rule: string | undefined]>([
    [form("public", ["authorization_code"], [redirect]), undefined],
    [form("public", ["authorization_code", "refresh_token"], [redirect]), undefined],
    [form("public", ["authorization_code"], []), "authorization-code-needs-redirect"],
    [form("confidential", ["authorization_code"], []), "authorization-code-needs-redirect"],
    [form("public", ["authorization_code"], [redirect], false), "public-authorization-code-needs-pkce"],
    [form("confidential", ["authorization_code"], [redirect], false), undefined],
    [form("public", [device], [], false), undefined],
    [form("public", [device], [redirect], false), undefined],
    [form("public", ["refresh_token"], []), undefined],
    [form("public", ["client_credentials"]), "client-credentials-needs-confidential"],
    [
      form("public", ["authorization_code", "client_credentials"], [redirect]),
      "client-credentials-needs-confidential"
    ],
    [form("confidential", ["client_credentials"], [], false), undefined],
    [form("confidential", ["client_credentials"], [redirect]), "client-credentials-without-redirect"],
    [form("confidential", ["client_credentials", device], [redirect]), "client-credentials-without-redirect"],
    [form("confidential", ["client_credentials", "authorization_code"], [redirect]), undefined],
    [
      form("confidential", ["client_credentials", "authorization_code"], []),
      "authorization-code-needs-redirect"
    ]
  ])("of the form %o breaks %j", (given, rule) => {
    expect(refusal(decideForm(given))).toBe(rule)
  })

  it.each<
    readonly [held: ReadonlyArray<Permission>, asked: ReadonlyArray<Permission>, missing: string | undefined]
  >([
    [["CREATE_POST"], ["CREATE_POST"], undefined],
    [["CREATE_POST"], [], undefined],
    [["CREATE_POST"], ["CREATE_POST", "MANAGE_POSTS"], "MANAGE_POSTS"],
    [["CREATE_POST"], ["ADMINISTRATOR"], "ADMINISTRATOR"],
    [["ADMINISTRATOR"], ["MANAGE_POSTS", "ADMINISTRATOR"], undefined]
  ])("of an account with %j that asks for %j lacks %j", (held, asked, missing) => {
    const decided = decidePermissions({ permissions: new Set(held) }, asked)
    expect(Result.isFailure(decided) ? decided.failure.metadata.permission : undefined).toBe(missing)
  })

  it("is not another's, nor one that belongs to nobody", () => {
    expect(ownership(stored(), owner)).toBe("own")
    expect(ownership(stored(), other)).toBe("another's")
    const { account_id: _, ...unowned } = stored({}, true).shown
    expect(ownership({ ...stored({}, true), shown: unowned }, owner)).toBe("another's")
    expect(ownership(undefined, owner)).toBe("missing")
  })

  it("stays of a form that it can have when it is changed", () => {
    expect(refusal(decideOwnChange(stored(), { redirect_uris: [] }))).toBe(
      "authorization-code-needs-redirect"
    )
    const byItself = stored({ allowed_grants: ["client_credentials"], redirect_uris: [] })
    expect(refusal(decideOwnChange(byItself, { redirect_uris: [redirect] }))).toBe(
      "client-credentials-without-redirect"
    )
    expect(refusal(decideOwnChange(stored(), { redirect_uris: [redirect], name: "Other" }))).toBe(undefined)
  })
})

describe("a change", () => {
  const hash = "any"
  it.each<readonly [change: ClientChange, changed: ReadonlyArray<string>]>([
    [{}, []],
    [{ name: client.name, redirect_uris: [...client.redirect_uris] }, []],
    [{ name: "Other" }, ["name"]],
    [{ scope_policy: "inherit" }, ["scope_policy"]],
    [{ redirect_uris: [redirect, redirect] }, ["redirect_uris"]],
    [{ redirect_uris: [...client.redirect_uris, ...client.redirect_uris] }, []],
    [{ allowed_scopes: ["openid"] }, ["allowed_scopes"]],
    [{ allowed_scopes: client.allowed_scopes.toReversed() }, ["allowed_scopes"]],
    [{ allowed_grants: [] }, ["allowed_grants"]],
    [{ client_secret_hash: hash }, ["client_secret"]],
    [
      {
        client_secret_hash: hash,
        allowed_grants: [device],
        allowed_scopes: [],
        redirect_uris: [],
        scope_policy: "inherit",
        name: "Other"
      },
      [...changeable]
    ]
  ])("by %o is one of %j", (change, changed) => {
    const decided = decideChange(stored(), change)
    expect(Result.isSuccess(decided) && decided.success.changed).toEqual(changed)
  })

  it("names each element of a list once", () => {
    const decided = decideChange(stored(), {
      redirect_uris: [redirect, redirect],
      allowed_scopes: ["openid", "openid"],
      allowed_grants: [device, device]
    })
    expect(Result.isSuccess(decided) && decided.success.values).toMatchObject({
      redirectUris: [redirect],
      allowedScopes: ["openid"],
      allowedGrants: [device]
    })
  })

  it("of what is built in is refused, whatever it is", () => {
    expect(refusal(decideChange(stored({}, true), {}))).toBe("OAuthClientBuiltIn")
    expect(refusal(decideChange(stored({}, true), { name: "Other" }))).toBe("OAuthClientBuiltIn")
    expect(refusal(decideRemoval(stored({}, true)))).toBe("OAuthClientBuiltIn")
    expect(refusal(decideRemoval(stored()))).toBe(undefined)
  })

  it("gives no public client a secret", () => {
    expect(refusal(decideChange(stored({ type: "public" }), { client_secret_hash: hash }))).toBe(
      "public-without-secret"
    )
    expect(refusal(decideSecret("public", hash))).toBe("public-without-secret")
    expect(refusal(decideSecret("public", undefined))).toBe(undefined)
    expect(refusal(decideSecret("confidential", hash))).toBe(undefined)
  })
})
