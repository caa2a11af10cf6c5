import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { IpNetwork } from "effect/net"
import { waitingMax } from "../../../src/domain/webhook/WebhookRefusal.ts"
import {
  decideAddress,
  decideDisabling,
  decideNextTry,
  hasRoomFor,
  isSuccess,
  keptAnswer,
  triesMax,
  wantedOf,
  wants
} from "../../../src/domain/webhook/WebhookRules.ts"

const opened = [IpNetwork.fromStringUnsafe("10.0.0.0/8"), IpNetwork.fromStringUnsafe("127.0.0.1/32")]

const at = DateTime.makeUnsafe("2026-11-26T00:00:00Z")

describe("the address of a webhook", () => {
  it.each([
    ["https://hooks.example/", [], "https://hooks.example/"],
    ["HTTPS://Hooks.Example:443/a?b#c", [], "https://hooks.example/a?b"],
    ["https://93.184.216.34/", [], "https://93.184.216.34/"],
    ["https://hooks.example:8443/", [], "https://hooks.example:8443/"],
    ["hooks.example", [], "address"],
    ["mailto:odin@example.com", [], "scheme"],
    ["http://hooks.example/", [], "scheme"],
    ["http://93.184.216.34/", opened, "scheme"],
    ["https://odin@hooks.example/", [], "credentials"],
    ["https://93.184.216.34:25/", [], "port"],
    ["https://10.0.0.1/", [], "network"],
    ["https://localhost/", [], "network"],
    ["https://[::ffff:10.0.0.1]/", [], "network"],
    ["https://0x7f.1/", [], "network"],
    ["http://10.0.0.1:25/", opened, "http://10.0.0.1:25/"],
    ["http://[::ffff:a00:1]/", opened, "http://[::ffff:a00:1]/"],
    ["http://localhost/", opened, "http://localhost/"],
    ["https://127.0.0.1/", opened, "https://127.0.0.1/"],
    ["http://127.0.0.2/", opened, "network"],
    // What the name stands for is known with each request.
    ["http://hooks.internal/", opened, "http://hooks.internal/"]
  ] as const)("%s", (text, networks, expected) => {
    const decision = decideAddress(text, networks)
    assert.strictEqual(typeof decision === "string" ? decision : decision.href, expected)
  })
})

describe("what a webhook is told of", () => {
  it("is each name once, or everything", () => {
    assert.deepStrictEqual(wantedOf(["EventPostLiked", "EventNodeCreated", "EventPostLiked"]), [
      "EventPostLiked",
      "EventNodeCreated"
    ])
    assert.deepStrictEqual(wantedOf(["EventPostLiked", "*"]), ["*"])
    assert.isTrue(wants(["*"], "EventPostLiked"))
    assert.isTrue(wants(["EventPostLiked"], "EventPostLiked"))
    assert.isFalse(wants(["EventPostLiked"], "EventPostUnliked"))
  })

  it("is as much as may wait", () => {
    assert.isTrue(hasRoomFor(waitingMax - 1, 1))
    assert.isFalse(hasRoomFor(waitingMax - 1, 2))
    assert.isTrue(hasRoomFor(0, waitingMax))
  })
})

describe("after an attempt", () => {
  it.each([
    [1, 5],
    [2, 60],
    [3, 300],
    [4, 1800],
    [5, 7200],
    [6, 28_800],
    [7, 86_400]
  ])("number %i that failed, the next is after %i seconds and up to a tenth more", (tries, seconds) => {
    for (const chance of [0, 0.5, 1]) {
      const next = decideNextTry(tries, at, chance) ?? at
      assert.closeTo(
        Duration.toSeconds(DateTime.distance(at, next)),
        seconds * (1 + chance / 10),
        0.001,
        `${chance}`
      )
    }
  })

  it("that was the last there is none", () => {
    assert.strictEqual(triesMax, 8)
    assert.isUndefined(decideNextTry(triesMax, at, 0))
  })

  it.each([
    [199, false],
    [200, true],
    [204, true],
    [299, true],
    [300, false],
    [410, false],
    [500, false],
    [undefined, false]
  ])("with the status %s it was delivered: %s", (status, expected) => {
    assert.strictEqual(isSuccess({ status }), expected)
  })

  it.each([
    [500, 0, undefined],
    [500, 71.99, undefined],
    [500, 72, "failing"],
    [undefined, 100, "failing"],
    [410, 0, "gone"],
    [410, 100, "gone"]
  ] as const)("with the status %s, %d hours after the first failure: %s", (status, hours, expected) => {
    const now = DateTime.add(at, { minutes: hours * 60 })
    assert.strictEqual(decideDisabling({ status }, at, now), expected)
  })

  it("its answer is kept as text, without secrets, if there is any", () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    assert.isUndefined(keptAnswer(bytes("")))
    assert.strictEqual(keptAnswer(bytes("ok\0")), "ok\ufffd")
    assert.strictEqual(keptAnswer(bytes("a whsec_c2VjcmV0+/=, b")), "a whsec_…, b")
    assert.strictEqual(keptAnswer(bytes("é").subarray(0, 1)), "\ufffd")
  })
})
