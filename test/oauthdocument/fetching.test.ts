/** How documents of clients are fetched from servers, through what guards requests of the service. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Dns, IpNetwork, NetAddress } from "effect/net"
import { ClientDocuments } from "../../src/domain/oauthdocument/ClientDocuments.ts"
import { DocumentSettings } from "../../src/domain/oauthdocument/DocumentSettings.ts"
import { ClientNetwork } from "../../src/domain/shared/Client.ts"
import { make } from "../../src/layers/adapters/outbound/GuardedOutbound.ts"
import { Names } from "../../src/layers/adapters/outbound/Names.ts"
import * as Pages from "../support/pages.ts"
import * as TestApp from "../support/TestApp.ts"
import { type Answering, serve } from "../support/web.ts"

const settings: DocumentSettings = {
  enabled: true,
  allowedPermissions: [],
  allowsPrivileged: false,
  allowsInsecure: true
}

const app = (differences: Partial<DocumentSettings> = {}) =>
  Layer.provide(TestApp.layer, Layer.succeed(DocumentSettings, { ...settings, ...differences }))

const from = ClientNetwork.make("192.0.2.1")

const outcomeOf = (clientId: string) =>
  ClientDocuments.use((documents) =>
    Effect.match(documents.resolve(clientId, from), {
      onFailure: ({ error }) => error,
      onSuccess: ({ _tag }) => _tag
    })
  )

/** A server at `tides.test`, whose addresses are looked up one list after the other; only this machine is opened. */
const between = Effect.fnUntraced(function* (answer: Answering, lists: ReadonlyArray<ReadonlyArray<string>>) {
  const { arrived, port } = yield* serve(answer)
  let asked = 0
  const names = Names.of({
    addressesOf: (hostname) => {
      const list = lists[Math.min(asked++, lists.length - 1)]
      return list === undefined
        ? Effect.fail(new Dns.DnsError({ reason: "NotFound", method: "resolve", hostname }))
        : Effect.succeed(list.map((text) => NetAddress.ipFromStringUnsafe(text)))
    }
  })
  const opened = [IpNetwork.fromStringUnsafe("127.0.0.1/32")]
  const outbound = yield* make({ userAgent: "tests/1", opened }).pipe(Effect.provideService(Names, names))
  const at = (path: string, scheme = "http") => {
    const clientId = `${scheme}://tides.test:${port}${path}`
    Pages.put(clientId, (request) => outbound.send(request))
    return clientId
  }
  return { arrived, at, port, asked: () => asked }
})

/** Answers with the document of the address that is asked for, of this many bytes at least. */
const documents =
  (headers: Readonly<Record<string, string>> = {}, bytes = 0): Answering =>
  (request, response) => {
    const document = JSON.stringify({
      client_id: `http://${request.headers.host}${request.url}`,
      redirect_uris: ["https://tides.example/callback"]
    })
    response
      .writeHead(200, { "content-type": "application/json", "cache-control": "no-store", ...headers })
      .end(document.padEnd(bytes, " "))
  }

layer(app())("a document of a client", (it) => {
  it.effect("is asked for as JSON, and found at its address with its query", () =>
    Effect.gen(function* () {
      const { arrived, at } = yield* between(documents(), [["127.0.0.1"]])
      assert.strictEqual(yield* outcomeOf(at("/client?version=2")), "Some")
      assert.deepStrictEqual(
        arrived.map(({ headers, method, url }) => [method, url, headers.accept]),
        [["GET", "/client?version=2", "application/json"]]
      )
    })
  )

  it.effect("has five kibibytes at most", () =>
    Effect.gen(function* () {
      const fits = yield* between(documents({}, 5120), [["127.0.0.1"]])
      assert.strictEqual(yield* outcomeOf(fits.at("/client")), "Some")
      const tooLong = yield* between(documents({}, 5121), [["127.0.0.1"]])
      assert.strictEqual(yield* outcomeOf(tooLong.at("/client")), "invalid_client")
    })
  )

  it.effect("is not looked for where its address redirects to", () =>
    Effect.gen(function* () {
      const { arrived, at } = yield* between(
        (_, response) => response.writeHead(302, { location: "/other" }).end(),
        [["127.0.0.1"]]
      )
      assert.strictEqual(yield* outcomeOf(at("/client")), "invalid_client")
      assert.deepStrictEqual(
        arrived.map(({ url }) => url),
        ["/client"]
      )
    })
  )

  it.effect("comes from the address that was checked, and not from one that its name has later", () =>
    Effect.gen(function* () {
      const { arrived, asked, at } = yield* between(documents(), [["127.0.0.1"], ["127.0.0.2"]])
      const clientId = at("/client")
      assert.strictEqual(yield* outcomeOf(clientId), "Some")
      assert.strictEqual(asked(), 1)
      assert.strictEqual(yield* outcomeOf(clientId), "invalid_client")
      assert.strictEqual(arrived.length, 1)
    })
  )
})

layer(app({ allowsInsecure: false }))("a document of a client in production", (it) => {
  it.effect("never comes from a network that is not public, even if the operator opened it for others", () =>
    Effect.gen(function* () {
      const { arrived, asked, at, port } = yield* between(documents(), [["127.0.0.1"]])
      assert.strictEqual(yield* outcomeOf(at("/client", "https")), "invalid_client")
      assert.strictEqual(asked(), 1)
      for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
        assert.strictEqual(yield* outcomeOf(`https://${host}:${port}/client`), "invalid_client")
      }
      assert.strictEqual(yield* outcomeOf(at("/client")), "invalid_client")
      assert.strictEqual(asked(), 1)
      assert.deepStrictEqual(arrived, [])
    })
  )
})
