/** What every operation that takes keys answers to a key that is used already, malformed, or one too many. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, type Schema, SchemaAST } from "effect"
import { SqlClient } from "effect/sql"
import {
  IdempotencyAnswerWithheld,
  IdempotencyKeyInProgress,
  IdempotencyKeyReused,
  keyMax,
  TooManyIdempotencyKeys
} from "../../src/domain/idempotency/IdempotencyKey.ts"
import { takenBy } from "../../src/domain/shared/Access.ts"
import { showsSecret, takesKeys } from "../../src/http/contract/IdempotentOperation.ts"
import { listAt, objectAt, textAt } from "../../src/http/document/Json.ts"
import { descriptionOf } from "../support/conformance.ts"
import { repeatable, seed } from "../support/idempotency.ts"
import { operations, unsafeOperations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, call, type Person } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { withToken } from "../support/tokens.ts"

const keyed = operations.filter(({ id }) => repeatable.some((one) => one.id === id))

const bodyOf = ({ hasBody }: (typeof keyed)[number]) => (hasBody ? "{}" : undefined)

layer(People.layer)("every operation that takes keys", (it) => {
  /** Calls each as somebody who may, with a key. */
  const forEach = Effect.fnUntraced(function* <E, R>(
    name: string,
    before: (
      account: string,
      key: string,
      request: { method: string; address: string; body: string }
    ) => Effect.Effect<unknown, E, R>,
    check: (answer: Effect.Success<ReturnType<typeof call>>) => void
  ) {
    const { odin } = yield* Cast
    const byToken: Person = yield* withToken(odin, "openid profile")
    for (const operation of keyed) {
      const person = takenBy(operation.access) === "token" ? byToken : odin
      const { id, method, path } = operation
      const body = bodyOf(operation)
      const key = `${name} ${id}`.replace(" ", "-")
      yield* before(person.id, key, { method, address: path, body: body ?? "{}" })
      const headers = { ...person.headers, "idempotency-key": key }
      check(yield* call(method, path, { ...(body === undefined ? {} : { body }), headers }))
    }
  })

  it.effect("refuses one of another request", () =>
    forEach(
      "reused",
      (account, key, request) => seed(account, key, { ...request, body: "[]" }, { isAnswered: true }),
      (answer) => assertProblem(answer, IdempotencyKeyReused)
    )
  )

  it.effect("refuses one of a request that is still being handled", () =>
    forEach(
      "running",
      (account, key, request) => seed(account, key, request, { isAnswered: false }),
      (answer) => {
        assertProblem(answer, IdempotencyKeyInProgress, { retry_after: 1 })
        assert.strictEqual(answer.headers["retry-after"], "1")
      }
    )
  )

  it.effect("says that a request was done whose answer is not kept", () =>
    forEach(
      "withheld",
      (account, key, request) => seed(account, key, request, { isAnswered: true }),
      (answer) => assertProblem(answer, IdempotencyAnswerWithheld, { status: 200 })
    )
  )

  it.effect("refuses one that has not the form of a key", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const byToken = yield* withToken(odin, "openid profile")
      for (const operation of keyed) {
        const person = takenBy(operation.access) === "token" ? byToken : odin
        const body = bodyOf(operation)
        for (const key of ["", "a b", "é", "a".repeat(keyMax + 1)]) {
          const headers = { ...person.headers, "idempotency-key": key }
          const answer = yield* call(operation.method, operation.path, {
            ...(body === undefined ? {} : { body }),
            headers
          })
          assertInvalid(answer, "header idempotency-key")
        }
      }
    })
  )

  it.effect("refuses one more than are kept of a day", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into idempotency_counts values (${odin.id}, 'epoch', 10000)
        on conflict (account_id) do update set day = 'epoch', kept = 10000`
      yield* forEach(
        "full",
        () => Effect.void,
        (answer) => {
          assertProblem(answer, TooManyIdempotencyKeys, { retry_after: 24 * 3600 })
          assert.strictEqual(answer.headers["retry-after"], String(24 * 3600))
        }
      )
    })
  )
})

describe("keys", () => {
  it("are taken by all that changes something for an account, but what signs in or up, and uploads", () => {
    const ids = new Set(repeatable.map(({ id }) => id))
    assert.deepStrictEqual(
      unsafeOperations
        .filter(({ id }) => !ids.has(id))
        .map(({ id }) => id)
        .toSorted(),
      [
        "AccountSetAvatar",
        "AssetUpload",
        "AuthEmailPasswordSignin",
        "AuthEmailPasswordSignup",
        "AuthEmailSignin",
        "AuthEmailSignup",
        "AuthEmailVerify",
        "AuthPasswordCreate",
        "AuthPasswordReset",
        "AuthPasswordResetRequestEmail",
        "AuthPasswordSignin",
        "AuthPasswordSignup",
        "AuthPasswordUpdate",
        "AuthProviderLogout",
        "BannerUpload",
        "IconUpload",
        "OAuthClientRegister",
        "OAuthClientRegistrationDelete",
        "OAuthClientRegistrationUpdate",
        "OAuthDeviceAuthorisation",
        "OAuthIntrospect",
        "OAuthProviderCallback",
        "OAuthRevoke",
        "OAuthToken",
        "PhoneRequestCode",
        "PhoneSubmitCode",
        "PluginAdd",
        "PluginUpdatePackage",
        "SendBeacon",
        "WebAuthnMakeAssertion",
        "WebAuthnMakeCredential"
      ]
    )
  })

  it("are described where they are taken, with the header of answers that are told again", () => {
    for (const { id, method } of operations) {
      const description = descriptionOf(id)
      const isKeyed = repeatable.some((one) => one.id === id)
      const parameter = listAt(description, "parameters").find(
        (one) => textAt(one, "name") === "Idempotency-Key"
      )
      assert.strictEqual(parameter !== undefined, isKeyed, id)
      const [status] = Object.keys(objectAt(description, "responses"))
      const answer = objectAt(objectAt(description, "responses"), status ?? "")
      assert.strictEqual("Idempotency-Replayed" in objectAt(answer, "headers"), isKeyed, `${method} ${id}`)
    }
  })
})

/** The names of all fields in what a schema stands for. */
const fieldsOf = (schema: Schema.Top): ReadonlySet<string> => {
  const seen = new Set<SchemaAST.AST>()
  const names = new Set<string>()
  const visit = (ast: SchemaAST.AST): void => {
    if (seen.has(ast)) return
    seen.add(ast)
    if (SchemaAST.isUnion(ast)) ast.types.forEach(visit)
    else if (SchemaAST.isArrays(ast)) [...ast.elements, ...ast.rest].forEach(visit)
    else if (SchemaAST.isSuspend(ast)) visit(ast.thunk())
    else if (SchemaAST.isObjects(ast)) {
      for (const { name, type } of ast.propertySignatures) {
        names.add(String(name))
        visit(type)
      }
    }
  }
  visit(schema.ast)
  return names
}

describe("answers that are not kept", () => {
  it("are those with a secret", () => {
    assert.deepStrictEqual(
      repeatable
        .filter(({ endpoint }) => showsSecret(endpoint))
        .map(({ id }) => id)
        .toSorted(),
      [
        "AccessKeyCreate",
        "AccountCalendarAddress",
        "AccountPasswordResetTokenGet",
        "AdminOAuthClientCreate",
        "AdminOAuthInitialAccessTokenCreate",
        "OAuthAuthoriseConsentSubmit",
        "OAuthClientCreate",
        "OAuthRemoteConnectionAuthorize",
        "PluginCycleToken",
        "PluginSetActiveState",
        "PluginUpdateManifest",
        "WebhookCreate",
        "WebhookReplaceSecret"
      ]
    )
  })

  it("are all of which a field has the name of a secret", () => {
    const secret = /secret|token|password|authorization_url|(?<!_)code$/
    // Whether there is one, and where tokens are asked for.
    const harmless = /^(has_|token_(type|endpoint|expiry)|is_)|_(endpoint|methods?)$|_at$/
    const named = repeatable.filter(({ endpoint }) =>
      [...endpoint.success].some((schema) =>
        [...fieldsOf(schema)].some((name) => secret.test(name) && !harmless.test(name))
      )
    )
    for (const { endpoint, id } of named) assert.isTrue(showsSecret(endpoint), id)
    assert.isAbove(named.length, 5)
    assert.isFalse(repeatable.some(({ endpoint }) => !takesKeys(endpoint)))
  })
})
