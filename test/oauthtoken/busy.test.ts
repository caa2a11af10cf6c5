/** What clients of OAuth are told while the service has too much to do. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { AuthenticationBusy } from "../../src/domain/authentication/Password.ts"
import { hashingBounds } from "../../src/domain/authentication/PasswordHashing.ts"
import { dieWithProblem } from "../../src/domain/shared/Problem.ts"
import { TooManyWriters } from "../../src/domain/storage/StorageProblem.ts"
import * as App from "../../src/layers/wiring/App.ts"
import { type Answer, ok } from "../support/answers.ts"
import {
  administrative,
  clientFor,
  createOwn,
  initialToken,
  own,
  ownClient,
  register,
  registrationOf,
  saidBy
} from "../support/clients.ts"
import { startWith } from "../support/devices.ts"
import { reset } from "../support/emails.ts"
import * as People from "../support/people.ts"
import { Cast, password } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { askFor, basic, postForm } from "../support/tokens.ts"

/** What each hash waits for. */
let hashing: Effect.Effect<void> = Effect.void

/** What happens before the storage is used. */
let storage: Effect.Effect<void> = Effect.void

const hashingService = People.withCast(
  TestApp.layerWhere(
    {},
    App.stores,
    TestApp.hashesAfter(() => Effect.suspend(() => hashing))
  )
)

const confidential = Effect.flatMap(Cast, ({ odin }) =>
  createOwn(odin, { type: "confidential", redirect_uris: [], allowed_grants: ["client_credentials"] })
)

const full = hashingBounds.places + hashingBounds.waitingPerClient

/** Sends so many requests that wait for a hash that one is refused, and others while they wait; answers what is. */
const refusedWhile = Effect.fnUntraced(function* <E, R>(
  flooding: Effect.Effect<Answer, E, R>,
  others: ReadonlyArray<Effect.Effect<Answer, E, R>>
) {
  const released = yield* Deferred.make<void>()
  hashing = Deferred.await(released)
  const answers = yield* Queue.unbounded<Answer>()
  const asked = yield* Effect.forEach(Array.from({ length: full + 1 }), () =>
    Effect.forkChild(Effect.flatMap(flooding, (answer) => Queue.offer(answers, answer)))
  )
  const refused = [yield* Queue.take(answers), ...(yield* Effect.all(others))]
  hashing = Effect.void
  yield* Deferred.succeed(released, undefined)
  yield* Effect.forEach(asked, Fiber.join)
  return refused
})

const assertBusy = (answer: Answer) => {
  assertProblem(answer, AuthenticationBusy, { retry_after: 2 })
  assert.strictEqual(answer.headers["retry-after"], "2")
}

layer(hashingService)("more hashes than may wait", (it) => {
  it.effect("are refused by every operation that clients prove themselves to", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client, client_secret } = yield* confidential
      const proof = basic(client.client_id, client_secret)
      const { token } = ok(yield* odin.post(`/accounts/${odin.id}/auth/password/reset-token`))
      const refused = yield* refusedWhile(reset(token, password), [
        askFor({ grant_type: "client_credentials" }, proof),
        postForm("/oauth/introspect", { token: "x" }, proof),
        postForm("/oauth/revoke", { token: "x" }, proof)
      ])
      for (const answer of refused) assertBusy(answer)
    })
  )

  it.effect("are refused by every operation that makes a secret for a client of an account", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const type = "confidential"
      const refused = yield* refusedWhile(odin.post(administrative, clientFor(freya, { type })), [
        odin.post(own, ownClient({ type }))
      ])
      for (const answer of refused) assertBusy(answer)
    })
  )

  it.effect("are refused by every operation that makes a secret for a client that registers", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const withSecret = saidBy({ token_endpoint_auth_method: "client_secret_basic" })
      const token = yield* initialToken(odin)
      const { json: registered } = yield* register(token)
      const { client_id, registration_access_token } = registered
      const { put } = registrationOf(client_id, registration_access_token)
      const refused = yield* refusedWhile(register(token, withSecret), [put({ ...withSecret, client_id })])
      for (const answer of refused) assertBusy(answer)
    })
  )
})

const storageService = TestApp.layerWhere({}, TestApp.storesAfter(Effect.suspend(() => storage)))

layer(People.withCast(storageService))("more writers than may wait", (it) => {
  it.effect("are refused by every operation that identifies a client alone", () =>
    Effect.gen(function* () {
      const { client, client_secret } = yield* confidential
      const proof = basic(client.client_id, client_secret)
      const requests = [
        askFor({ grant_type: "client_credentials" }, proof),
        postForm("/oauth/introspect", { token: "x" }, proof),
        postForm("/oauth/revoke", { token: "x" }, proof),
        startWith({ client_id: "forum-cli", scope: "openid profile offline_access" })
      ]
      for (const request of requests) {
        storage = dieWithProblem(new TooManyWriters({ metadata: { retry_after: 1 } }))
        assertProblem(yield* request, TooManyWriters, { retry_after: 1 })
        storage = Effect.void
        ok(yield* request)
      }
    })
  )
})
