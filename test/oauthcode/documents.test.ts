/** Clients that are named by the address of their document, from the browser to the tokens. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DocumentSettings } from "../../src/domain/oauthdocument/DocumentSettings.ts"
import type { OutboundAnswer } from "../../src/domain/outbound/Outbound.ts"
import { ok } from "../support/answers.ts"
import {
  approved,
  asked,
  authorisation,
  consentOf,
  exchange,
  redirectUri
} from "../support/authorisations.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { claimsOf, refresh, refusalIn } from "../support/tokens.ts"

const settings: DocumentSettings = {
  enabled: true,
  allowedPermissions: ["READ_PUBLISHED_THREADS"],
  allowsPrivileged: false,
  allowsInsecure: false
}

const takingDocuments = (differences: Partial<DocumentSettings> = {}) =>
  People.withCast(
    Layer.provide(TestApp.layer, Layer.succeed(DocumentSettings, { ...settings, ...differences }))
  )

const scope = "openid offline_access READ_PUBLISHED_THREADS ADMINISTRATOR"

const documentOf = (client_id: string, caching: string): OutboundAnswer => ({
  url: "",
  status: 200,
  headers: { "content-type": "application/json", "cache-control": caching },
  body: new TextEncoder().encode(
    JSON.stringify({ client_id, client_name: "Tide tables", redirect_uris: [redirectUri], scope })
  )
})

const put = (client_id: string, caching = "max-age=600") =>
  Effect.sync(() => Pages.put(client_id, Effect.succeed(documentOf(client_id, caching))))

const fetches = (clientId: string) => Pages.asked.filter((one) => one === clientId).length

layer(takingDocuments())("a client with a document", (it) => {
  it.effect("signs people in, with one fetch for three of them and their tokens", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const id = "https://tides.example/client"
      yield* put(id)
      for (const _ of [1, 2, 3]) {
        const tokens = ok(yield* exchange(id, yield* approved(odin, id, { scope })))
        assert.strictEqual(tokens.scope, "openid offline_access READ_PUBLISHED_THREADS")
        assert.strictEqual(claimsOf(tokens.id_token).aud, id)
        ok(yield* refresh(id, tokens.refresh_token))
      }
      assert.strictEqual(fetches(id), 1)
    })
  )

  it.effect("is shown by its name, without what it may not ask for", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const id = "https://tides.example/shown"
      yield* put(id)
      const shown = ok(yield* odin.get(consentOf(yield* asked(odin, id, { scope }))))
      assert.deepInclude(shown, { client_id: id, client_name: "Tide tables" })
      assert.deepStrictEqual(shown.granted_scopes, ["openid", "offline_access", "READ_PUBLISHED_THREADS"])
    })
  )

  it.effect("is asked for again as soon as its document may not be kept", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const id = "https://tides.example/changing"
      yield* put(id, "no-store")
      yield* asked(odin, id)
      yield* asked(odin, id)
      assert.strictEqual(fetches(id), 2)
      yield* put(id, "max-age=60")
      yield* asked(odin, id)
      yield* TestClock.adjust("61 seconds")
      yield* asked(odin, id)
      assert.strictEqual(fetches(id), 4)
    })
  )

  it.effect("is refused without a fetch where its address is none that may be asked", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const before = Pages.asked.length
      for (const id of [
        "https://127.0.0.1/client",
        "https://localhost/client",
        "https://[::1]/client",
        "http://tides.example/client",
        "https://tides.example/",
        "https://odin@tides.example/client",
        "https://tides.example/a/../client",
        "https://tides.example/client#x"
      ]) {
        const answer = yield* odin.get(authorisation(id))
        assert.strictEqual(refusalIn(answer), "400 invalid_client", id)
        assert.isUndefined(answer.headers.location)
      }
      assert.strictEqual(Pages.asked.length, before)
    })
  )
})

layer(takingDocuments({ enabled: false }))("a client with a document, where they name no clients", (it) => {
  it.effect("is unknown, and never asked for", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const id = "https://tides.example/off"
      yield* put(id)
      assert.strictEqual(refusalIn(yield* odin.get(authorisation(id))), "400 invalid_client")
      assert.strictEqual(refusalIn(yield* exchange(id, "x".repeat(43))), "400 invalid_client")
      assert.strictEqual(fetches(id), 0)
    })
  )
})
