/** Clients that somebody deletes while a request of theirs is answered: it was found, and is gone when it is written of. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { AuthorisationStore } from "../../src/domain/oauthcode/AuthorisationStore.ts"
import { DeviceStore } from "../../src/domain/oauthdevice/DeviceStore.ts"
import { GrantStore } from "../../src/domain/oauthgrant/GrantStore.ts"
import type { Answer } from "../support/answers.ts"
import { approved, authorisation, exchange } from "../support/authorisations.ts"
import { administrative, createClient, createOwn } from "../support/clients.ts"
import { approve, begin, createDeviceClient, poll, startWith } from "../support/devices.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { askFor, refusalIn } from "../support/tokens.ts"

/** What happens before the next client is written of. */
let meanwhile: Effect.Effect<void> = Effect.void

const after = <A>(write: Effect.Effect<A>) =>
  Effect.andThen(
    Effect.suspend(() => meanwhile),
    write
  )

/** Sends a request, during which the client is deleted. */
const during = Effect.fnUntraced(function* <E>(
  id: string,
  request: Effect.Effect<Answer, E, HttpClient.HttpClient>
) {
  const { odin } = yield* Cast
  const context = yield* Effect.context<HttpClient.HttpClient>()
  const deleted = odin.delete(`${administrative}/${id}`).pipe(
    Effect.tap(({ status }) => Effect.sync(() => assert.strictEqual(status, 204))),
    Effect.provideContext(context),
    Effect.orDie
  )
  meanwhile = Effect.suspend(() => {
    meanwhile = Effect.void
    return Effect.asVoid(deleted)
  })
  return refusalIn(yield* request)
})

const questions = TestApp.storesBut(AuthorisationStore, (usual) => ({
  ...usual,
  insert: (one) => after(usual.insert(one))
}))

layer(People.withCast(TestApp.layerWhere({}, questions)))("a client that sends a browser", (it) => {
  it.effect("is none, once it is deleted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client_id, id } = yield* createClient(odin, odin)
      const answer = yield* during(id, odin.get(authorisation(client_id)))
      assert.strictEqual(answer, "400 invalid_client")
    })
  )
})

const devices = TestApp.storesBut(DeviceStore, (usual) => ({
  ...usual,
  insert: (one) => after(usual.insert(one))
}))

layer(People.withCast(TestApp.layerWhere({}, devices)))("a client on a device", (it) => {
  it.effect("is none, once it is deleted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client_id, id } = yield* createDeviceClient(odin, odin)
      assert.strictEqual(yield* during(id, startWith({ client_id })), "400 invalid_client")
    })
  )
})

const grants = TestApp.storesBut(GrantStore, (usual) => ({
  ...usual,
  insert: (grant, tokens) => after(usual.insert(grant, tokens)),
  insertOwn: (grant, tokens) => after(usual.insertOwn(grant, tokens))
}))

layer(People.withCast(TestApp.layerWhere({}, grants)))("a client that asks for tokens", (it) => {
  it.effect("gets none, once it is deleted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const browser = yield* createClient(odin, odin)
      const code = yield* approved(odin, browser.client_id)
      assert.strictEqual(yield* during(browser.id, exchange(browser.client_id, code)), "400 invalid_grant")
      const onDevice = yield* createDeviceClient(odin, odin)
      const device = yield* begin(onDevice.client_id)
      yield* approve(odin, device.user_code)
      assert.strictEqual(
        yield* during(onDevice.id, poll(onDevice.client_id, device.device_code)),
        "400 invalid_grant"
      )
      const { client, client_secret } = yield* createOwn(odin, {
        type: "confidential",
        redirect_uris: [],
        allowed_grants: ["client_credentials"]
      })
      const { client_id, id } = client
      assert.strictEqual(
        yield* during(id, askFor({ grant_type: "client_credentials", client_id, client_secret })),
        "400 invalid_grant"
      )
    })
  )
})
