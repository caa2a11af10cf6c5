/** What operations cost where nobody has changed it. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { everyone } from "../../src/http/contract/AccessPolicies.ts"
import { OperationTraits, operation } from "../../src/http/contract/Operation.ts"
import { descriptionOf } from "../support/conformance.ts"
import { operations } from "../support/operations.ts"
import { call } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

/** All others cost 1. */
const units: Readonly<Record<string, number>> = {
  AuthEmailSignup: 10,
  AuthEmailSignin: 10,
  AuthEmailVerify: 10,
  PhoneRequestCode: 10,
  PhoneSubmitCode: 10,
  AuthPasswordResetRequestEmail: 10,
  OAuthDeviceConsent: 20,
  OAuthDeviceConsentSubmit: 20,
  OAuthClientRegister: 10,
  OAuthClientRegistrationUpdate: 10,
  OAuthProviderStart: 10,
  OAuthRemoteDiscover: 10,
  OAuthRemoteConnectionCreate: 10,
  OAuthRemoteCallback: 10,
  WebhookTest: 10
}

describe("what an operation costs", () => {
  const declare = (more: { readonly units?: number }) =>
    HttpApiEndpoint.get("example", "/example").pipe(
      operation({
        id: "Example",
        cost: "quick",
        summary: "Example",
        description: "Example",
        access: everyone,
        ...more
      })
    ).annotations

  it("is what it declares, and shown in the description if it is not 1", () => {
    assert.strictEqual(Context.get(declare({}), OperationTraits).units, 1)
    assert.notProperty(Context.getUnsafe(declare({}), OpenApi.Override), "x-rate-limit-cost")
    const dear = declare({ units: 20 })
    assert.strictEqual(Context.get(dear, OperationTraits).units, 20)
    assert.propertyVal(Context.getUnsafe(dear, OpenApi.Override), "x-rate-limit-cost", 20)
  })
})

layer(TestApp.layerWhere({ trustedProxies: networksOf(["127.0.0.1"]) }))("every operation", (it) => {
  it.effect("costs what the contract says", () =>
    Effect.gen(function* () {
      for (const [n, { id, method, path }] of operations.entries()) {
        const expected = units[id] ?? 1
        const headers = { "x-forwarded-for": `198.51.${n >> 8}.${n & 255}` }
        const answer = yield* call(method, path, { headers })
        assert.strictEqual(answer.headers["x-ratelimit-remaining"], String(5_000 - expected), id)
        assert.strictEqual(descriptionOf(id)["x-rate-limit-cost"] ?? 1, expected, id)
      }
    })
  )
})
