import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted } from "effect"
import { Headers } from "effect/http"
import { mayReadMetrics } from "../../src/http/operations/MetricsAccess.ts"

const from = (peer: string | undefined, headers: Record<string, string> = {}) => ({
  peerAddress: Option.fromUndefinedOr(peer),
  headers: Headers.fromInput(headers)
})

const token = Redacted.make("0123456789abcdef")
const bearer = (text: string) => ({ authorization: text })

describe("without a token the metrics", () => {
  it("are shown to this machine", () => {
    for (const peer of ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1", "::FFFF:127.0.0.1"]) {
      assert.isTrue(mayReadMetrics(from(peer), undefined), peer)
    }
    const headers = { host: "forum.internal", "user-agent": "Prometheus/3.7", accept: "text/plain" }
    assert.isTrue(mayReadMetrics(from("127.0.0.1", headers), undefined))
  })

  it("are not shown to another machine, whatever it sends", () => {
    const others = [
      "10.0.0.7",
      "172.17.0.1",
      "192.168.1.7",
      "203.0.113.9",
      "::ffff:10.0.0.7",
      "fd00::1",
      "::2",
      "x"
    ]
    for (const peer of [...others, undefined]) {
      assert.isFalse(mayReadMetrics(from(peer), undefined), peer)
      assert.isFalse(mayReadMetrics(from(peer, bearer("Bearer undefined")), undefined), peer)
    }
  })

  it("are not shown to a request that a proxy on this machine has forwarded", () => {
    const names = [
      ...["Forwarded", "Via", "X-Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"],
      ...["X-Forwarded-Server", "X-Original-Forwarded-For", "X-Real-IP", "X-Client-IP", "Client-IP"],
      ...["X-Cluster-Client-IP", "True-Client-IP", "Fastly-Client-IP", "CF-Connecting-IP"],
      ...["X-Envoy-External-Address"]
    ]
    for (const name of names) {
      assert.isFalse(mayReadMetrics(from("127.0.0.1", { [name]: "127.0.0.1" }), undefined), name)
      assert.isFalse(mayReadMetrics(from("127.0.0.1", { [name]: "" }), undefined), name)
    }
  })
})

describe("with a token the metrics", () => {
  it("are shown to every request that carries it", () => {
    for (const peer of ["127.0.0.1", "203.0.113.9", undefined]) {
      assert.isTrue(mayReadMetrics(from(peer, bearer("Bearer 0123456789abcdef")), token))
    }
    assert.isTrue(mayReadMetrics(from("10.0.0.7", bearer("bearer 0123456789abcdef")), token))
    const forwarded = { ...bearer("Bearer 0123456789abcdef"), "x-forwarded-for": "203.0.113.9" }
    assert.isTrue(mayReadMetrics(from("10.0.0.7", forwarded), token))
  })

  it("are not shown to any other request", () => {
    const wrong = ["Bearer 0123456789abcdeF", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Bearer"]
    for (const text of [...wrong, "0123456789abcdef", "Basic 0123456789abcdef", ""]) {
      assert.isFalse(mayReadMetrics(from("127.0.0.1", bearer(text)), token), text)
    }
    assert.isFalse(mayReadMetrics(from("127.0.0.1"), token))
  })
})
