import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Dns, IpNetwork, NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import type { OutboundRequest } from "../../src/domain/outbound/Outbound.ts"
import { make } from "../../src/layers/adapters/outbound/GuardedOutbound.ts"
import { Names } from "../../src/layers/adapters/outbound/Names.ts"
import { type Answering, serve } from "../support/web.ts"
import * as certificate from "./certificate.ts"

const usual = {
  accept: "text/html",
  maxBytes: 1000,
  beyond: "cut",
  redirects: 5,
  within: "10 seconds"
} as const

/** Names with these addresses: one list for each look-up, the last one again and again. */
const namesOf = (known: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>) => {
  const asked: Array<string> = []
  const addressesOf = (name: string) => {
    const lists = known[name] ?? []
    const times = asked.filter((one) => one === name).length
    asked.push(name)
    const list = lists[Math.min(times, lists.length - 1)]
    return list === undefined
      ? Effect.fail(new Dns.DnsError({ reason: "NotFound", method: "resolve", hostname: name }))
      : Effect.succeed(list.map((text) => NetAddress.ipFromStringUnsafe(text)))
  }
  return { asked, names: Names.of({ addressesOf }) }
}

const here = [["127.0.0.1"]]

/** A server at any name that ends in `.test`, and a client to which only its address is open. */
const between = Effect.fnUntraced(function* (
  answer: Answering,
  known: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = { "page.test": here },
  opened: ReadonlyArray<string> = ["127.0.0.1/32"]
) {
  const server = yield* serve(answer)
  const { asked, names } = namesOf(known)
  const outbound = yield* make({
    userAgent: "tests/1",
    opened: opened.map((text) => IpNetwork.fromStringUnsafe(text))
  }).pipe(Effect.provideService(Names, names))
  const send = (url: string, more: Partial<OutboundRequest> = {}) =>
    outbound.send({ ...usual, url: url.replace("PORT", String(server.port)), ...more })
  const refusal = (url: string, more: Partial<OutboundRequest> = {}) =>
    Effect.map(Effect.flip(send(url, more)), ({ _tag, reason }) => `${_tag} ${reason}`)
  return { ...server, asked, send, refusal }
})

const text = (body: Uint8Array) => Buffer.from(body).toString()

const says =
  (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Answering =>
  (_, response) => {
    response.writeHead(200, { "content-type": "text/html", ...headers }).end(body)
  }

describe("a request to a host", () => {
  it.effect("goes to the address that was checked, under the name of the host, with our own user agent", () =>
    Effect.gen(function* () {
      const { arrived, asked, port, send } = yield* between(says("hello"))
      const answer = yield* send("http://PAGE.test.:PORT/a%20b?c=d#e")
      assert.deepInclude(answer, { status: 200, url: `http://page.test.:${port}/a%20b?c=d` })
      assert.strictEqual(text(answer.body), "hello")
      assert.strictEqual(answer.headers["content-type"], "text/html")
      assert.deepStrictEqual(asked, ["page.test"])
      assert.deepStrictEqual(arrived, [
        {
          method: "GET",
          url: "/a%20b?c=d",
          body: "",
          headers: {
            host: `page.test.:${port}`,
            accept: "text/html",
            "accept-encoding": "gzip, br",
            "user-agent": "tests/1",
            connection: "close"
          }
        }
      ])
    })
  )

  it.effect("is refused if any of its addresses is not public, and then nothing is sent", () =>
    Effect.gen(function* () {
      const { arrived, refusal } = yield* between(
        says("secret"),
        {
          "mixed.test": [["1.1.1.1", "127.0.0.1"]],
          "inner.test": [["10.0.0.1"]],
          "mapped.test": [["::ffff:127.0.0.1"]],
          "nat64.test": [["64:ff9b::7f00:1"]],
          "last.test": [["127.0.0.1", "10.0.0.1"]],
          "none.test": [[]]
        },
        []
      )
      for (const name of ["mixed", "inner", "mapped", "nat64", "last", "none"]) {
        assert.strictEqual(yield* refusal(`http://${name}.test:PORT/`), "OutboundRefused network", name)
      }
      for (const host of [
        "127.0.0.1",
        "0",
        "2130706433",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "localhost",
        "a.localhost."
      ]) {
        assert.strictEqual(yield* refusal(`http://${host}:PORT/`), "OutboundRefused network", host)
      }
      assert.deepStrictEqual(arrived, [])
    })
  )

  it.effect("is refused if one address is outside of the networks that are opened", () =>
    Effect.gen(function* () {
      const { arrived, refusal } = yield* between(says("secret"), { "two.test": [["127.0.0.1", "10.0.0.1"]] })
      assert.strictEqual(yield* refusal("http://two.test:PORT/"), "OutboundRefused network")
      assert.deepStrictEqual(arrived, [])
    })
  )

  it.effect("may be closed to the networks that are opened for others", () =>
    Effect.gen(function* () {
      const { arrived, refusal } = yield* between(says("secret"))
      for (const host of ["page.test", "127.0.0.1", "localhost"]) {
        const url = `http://${host}:PORT/`
        assert.strictEqual(yield* refusal(url, { publicOnly: true }), "OutboundRefused network", host)
      }
      assert.deepStrictEqual(arrived, [])
    })
  )

  it.effect("goes without https only into networks that are open, where it is to be secure", () =>
    Effect.gen(function* () {
      const { arrived, refusal, send } = yield* between(says("secret"), {
        "page.test": here,
        "public.test": [["93.184.216.34"]],
        "both.test": [["127.0.0.1", "93.184.216.34"]]
      })
      const securely = { securely: true } as const
      assert.strictEqual(text((yield* send("http://page.test:PORT/", securely)).body), "secret")
      for (const url of ["http://public.test/", "http://93.184.216.34/", "http://both.test/"]) {
        assert.strictEqual(yield* refusal(url, securely), "OutboundRefused scheme", url)
      }
      assert.lengthOf(arrived, 1)
    })
  )

  it.effect("asks for its addresses once, so that a name which changes them reaches what was checked", () =>
    Effect.gen(function* () {
      const { arrived, asked, refusal, send } = yield* between(says("checked"), {
        "rebinding.test": [["127.0.0.1"], ["127.0.0.2"]]
      })
      assert.strictEqual(text((yield* send("http://rebinding.test:PORT/")).body), "checked")
      assert.deepStrictEqual(asked, ["rebinding.test"])
      assert.strictEqual(yield* refusal("http://rebinding.test:PORT/"), "OutboundRefused network")
      assert.strictEqual(arrived.length, 1)
    })
  )

  it.effect("fails if its name is unknown or nobody listens there", () =>
    Effect.gen(function* () {
      const { refusal } = yield* between(says(""))
      assert.strictEqual(yield* refusal("http://unknown.test:PORT/"), "OutboundFailed name")
      assert.strictEqual(yield* refusal("http://page.test:1/"), "OutboundFailed connection")
    })
  )

  it.effect("reaches this machine by its name only where its address is opened", () =>
    Effect.gen(function* () {
      const { asked, send } = yield* between(says("here"))
      assert.strictEqual(text((yield* send("http://localhost:PORT/")).body), "here")
      assert.strictEqual(text((yield* send("http://[::ffff:127.0.0.1]:PORT/")).body), "here")
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("is refused with another scheme, with credentials, and at ports of other protocols", () =>
    Effect.gen(function* () {
      const { asked, refusal } = yield* between(says(""), { "public.test": [["1.1.1.1"]] })
      for (const [url, reason] of [
        ["ftp://page.test:PORT/", "scheme"],
        ["http://me:secret@page.test:PORT/", "credentials"],
        ["http://[:PORT/", "address"]
      ] as const) {
        assert.strictEqual(yield* refusal(url), `OutboundRefused ${reason}`)
      }
      assert.deepStrictEqual(asked, [])
      assert.strictEqual(yield* refusal("http://public.test:25/"), "OutboundRefused port")
    })
  )
})

/** Answers `/<n>` with a redirect to `/<n - 1>`, and `/0` with a page. */
const countdown: Answering = ({ url }, response) => {
  const left = Number(url.slice(1))
  if (left === 0) response.end("landed")
  else response.writeHead(302, { location: `/${left - 1}` }).end("x".repeat(100_000))
}

describe("a redirect", () => {
  it.effect("is followed as often as is allowed", () =>
    Effect.gen(function* () {
      const { arrived, port, refusal, send } = yield* between(countdown)
      const answer = yield* send("http://page.test:PORT/5")
      assert.strictEqual(text(answer.body), "landed")
      assert.strictEqual(answer.url, `http://page.test:${port}/0`)
      assert.strictEqual(arrived.length, 6)
      assert.strictEqual(yield* refusal("http://page.test:PORT/6"), "OutboundFailed redirects")
      assert.strictEqual(arrived.length, 12)
      const first = yield* send("http://page.test:PORT/1", { redirects: 0 })
      assert.deepInclude(first, { status: 302, body: new Uint8Array() })
    })
  )

  it.effect("ends its connection, however long its own body is", () =>
    Effect.gen(function* () {
      const left = yield* Deferred.make<void>()
      const { send } = yield* between(({ url }, response) => {
        if (url !== "/long") return void response.end("landed")
        response.on("close", () => Deferred.doneUnsafe(left, Effect.void))
        response.writeHead(302, { location: "/" }).write("never ends")
      })
      assert.strictEqual(text((yield* send("http://page.test:PORT/long")).body), "landed")
      yield* Deferred.await(left)
    })
  )

  it.effect("is checked as the first address was, name and all", () =>
    Effect.gen(function* () {
      const targets = new Map([
        ["/private", "http://10.0.0.1/"],
        ["/metadata", "http://169.254.169.254/latest"],
        ["/loopback", "http://127.1.1.1:PORT/"],
        ["/machine", "http://localhost:25/"],
        ["/name", "http://inner.test/"],
        ["/file", "file:///etc/passwd"],
        ["/user", "http://me@page.test:PORT/"],
        ["/mail", "http://public.test:25/"]
      ])
      const { arrived, refusal } = yield* between(
        ({ headers, url }, response) => {
          const port = headers.host?.split(":")[1] ?? ""
          response.writeHead(301, { location: targets.get(url)?.replace("PORT", port) ?? "" }).end()
        },
        { "page.test": here, "inner.test": [["10.0.0.1"]], "public.test": [["1.1.1.1"]] }
      )
      const reasons: Array<string> = []
      for (const path of targets.keys()) {
        // The server is where the name points; this machine's other names stay closed.
        reasons.push(`${path} ${yield* refusal(`http://page.test:PORT${path}`)}`)
      }
      assert.deepStrictEqual(reasons, [
        "/private OutboundRefused network",
        "/metadata OutboundRefused network",
        "/loopback OutboundRefused network",
        "/machine OutboundFailed connection",
        "/name OutboundRefused network",
        "/file OutboundRefused scheme",
        "/user OutboundRefused credentials",
        "/mail OutboundRefused port"
      ])
      assert.strictEqual(arrived.length, targets.size)
    })
  )

  it.effect("to a name that has changed its address since is refused", () =>
    Effect.gen(function* () {
      const { arrived, refusal } = yield* between(countdown, {
        "rebinding.test": [["127.0.0.1"], ["127.0.0.2"]]
      })
      assert.strictEqual(yield* refusal("http://rebinding.test:PORT/1"), "OutboundRefused network")
      assert.strictEqual(arrived.length, 1)
    })
  )

  it.effect("to another origin gets none of the headers that were meant for the first", () =>
    Effect.gen(function* () {
      const { arrived, send } = yield* between(
        ({ headers, url }, response) => {
          const port = headers.host?.split(":")[1]
          if (url === "/") response.writeHead(307, { location: `http://other.test:${port}/there` }).end()
          else response.end()
        },
        { "page.test": here, "other.test": here }
      )
      yield* send("http://page.test:PORT/", { headers: { authorization: "Bearer x" } })
      assert.deepStrictEqual(
        arrived.map(({ headers }) => headers.authorization),
        ["Bearer x", undefined]
      )
    })
  )

  it.effect("of a request with a body is not followed", () =>
    Effect.gen(function* () {
      const { arrived, send } = yield* between(countdown)
      const body = { contentType: "application/json", bytes: new TextEncoder().encode("{}") }
      assert.strictEqual((yield* send("http://page.test:PORT/1", { body })).status, 302)
      assert.strictEqual(arrived.length, 1)
      assert.deepInclude(arrived[0], { method: "POST", body: "{}" })
      assert.deepInclude(arrived[0]?.headers, { "content-type": "application/json", "content-length": "2" })
    })
  )
})

describe("an answer", () => {
  it.effect("is taken up to its limit, whether it is cut there or fails", () =>
    Effect.gen(function* () {
      const { refusal, send } = yield* between(({ url }, response) =>
        response.end("x".repeat(Number(url.slice(1))))
      )
      for (const beyond of ["cut", "failure"] as const) {
        assert.strictEqual((yield* send("http://page.test:PORT/1000", { beyond })).body.length, 1000)
      }
      assert.strictEqual((yield* send("http://page.test:PORT/1001")).body.length, 1000)
      const beyond = "failure"
      assert.strictEqual(yield* refusal("http://page.test:PORT/1001", { beyond }), "OutboundFailed size")
    })
  )

  it.effect("without an end is cut at its limit", () =>
    Effect.gen(function* () {
      const { send } = yield* between((_, response) => {
        const more = () => {
          if (!response.destroyed && response.write("x".repeat(1000))) setImmediate(more)
        }
        response.on("drain", more)
        more()
      })
      assert.strictEqual((yield* send("http://page.test:PORT/")).body.length, 1000)
    })
  )

  it.effect("is decompressed, and its limit counts what comes out", () =>
    Effect.gen(function* () {
      const plain = "small ".repeat(100)
      const bomb = Buffer.alloc(5_000_000)
      const bodies = new Map([
        ["/gzip", gzipSync(plain)],
        ["/br", brotliCompressSync(plain)],
        ["/gzip-bomb", gzipSync(bomb)],
        ["/br-bomb", brotliCompressSync(bomb)],
        ["/gzip-cut", gzipSync(plain).subarray(0, -9)]
      ])
      const { refusal, send } = yield* between(({ url }, response) => {
        const encoding = url.slice(1).split("-")[0] ?? ""
        response.writeHead(200, { "content-encoding": encoding }).end(bodies.get(url))
      })
      for (const path of ["/gzip", "/br", "/gzip-cut"]) {
        const { body } = yield* send(`http://page.test:PORT${path}`)
        assert.isTrue(plain.startsWith(text(body)) && body.length > 500, path)
      }
      for (const path of ["/gzip-bomb", "/br-bomb"]) {
        assert.deepStrictEqual((yield* send(`http://page.test:PORT${path}`)).body.length, 1000)
        const beyond = "failure"
        assert.strictEqual(yield* refusal(`http://page.test:PORT${path}`, { beyond }), "OutboundFailed size")
      }
    })
  )

  it.effect("in an unknown or broken compression is a failure", () =>
    Effect.gen(function* () {
      const { refusal } = yield* between(({ url }, response) => {
        response.writeHead(200, { "content-encoding": url.slice(1).replace("+", ", ") }).end("not compressed")
      })
      assert.strictEqual(yield* refusal("http://page.test:PORT/zstd"), "OutboundFailed encoding")
      assert.strictEqual(yield* refusal("http://page.test:PORT/gzip+gzip"), "OutboundFailed encoding")
      assert.strictEqual(yield* refusal("http://page.test:PORT/gzip"), "OutboundFailed connection")
    })
  )

  it.effect("with too many headers, or that ends early, is a failure", () =>
    Effect.gen(function* () {
      const { refusal } = yield* between(({ url }, response) => {
        if (url === "/headers") response.writeHead(200, { "x-long": "x".repeat(17_000) }).end()
        else response.writeHead(200, { "content-length": "500" }).write("half", () => response.destroy())
      })
      assert.strictEqual(yield* refusal("http://page.test:PORT/headers"), "OutboundFailed connection")
      assert.strictEqual(yield* refusal("http://page.test:PORT/early"), "OutboundFailed connection")
    })
  )

  it.effect("has to be there in time, redirects and body included", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const left = yield* Deferred.make<void>()
      const { refusal } = yield* between(({ url }, response) => {
        if (url === "/") return void response.writeHead(302, { location: "/slow" }).end()
        response.on("close", () => Deferred.doneUnsafe(left, Effect.void))
        response.write("a", () => Deferred.doneUnsafe(reached, Effect.void))
      })
      const waiting = yield* Effect.forkChild(refusal("http://page.test:PORT/"))
      yield* Deferred.await(reached)
      yield* TestClock.adjust("9999 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(waiting), "OutboundFailed time")
      // The connection does not stay open behind it.
      yield* Deferred.await(left)
    })
  )
})

describe("a request over TLS", () => {
  const trusting = Effect.acquireRelease(
    Effect.sync(() => {
      const before = getCACertificates("default")
      setDefaultCACertificates([...before, certificate.cert])
      return before
    }),
    (before) => Effect.sync(() => setDefaultCACertificates(before))
  )

  it.effect("accepts the certificate of the name that was asked for, and no other", () =>
    Effect.gen(function* () {
      const secure = yield* serve(({ url }, response) => {
        if (url === "/down") response.writeHead(302, { location: "http://page.test/" }).end()
        else response.end("secure")
      }, certificate)
      const { refusal, send } = yield* between(says(""), {
        "secure.test": here,
        "other.test": here,
        "page.test": here
      })
      const at = (host: string, path = "/") => `https://${host}:${secure.port}${path}`
      assert.strictEqual(yield* refusal(at("secure.test")), "OutboundFailed connection")
      yield* trusting
      assert.strictEqual(text((yield* send(at("secure.test"))).body), "secure")
      assert.strictEqual(text((yield* send(at("secure.test."))).body), "secure")
      assert.strictEqual(yield* refusal(at("other.test")), "OutboundFailed connection")
      assert.strictEqual(yield* refusal(at("127.0.0.1")), "OutboundFailed connection")
      assert.strictEqual(yield* refusal(at("secure.test", "/down")), "OutboundRefused downgrade")
      assert.strictEqual(secure.arrived.length, 3)
    })
  )
})
