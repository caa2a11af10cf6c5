/** How messages are handed over to each provider, and what their answers mean. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { OutboundFailed, OutboundRefused } from "../../src/domain/outbound/Outbound.ts"
import { TextMessageId } from "../../src/domain/shared/Id.ts"
import type { SmsProvider } from "../../src/layers/process/SmsAddress.ts"
import { answering, makeProvider, sendingTo } from "../support/phones.ts"

const account = `AC${"0".repeat(32)}`
const text = "012345 is your code & more: 100% ä"
const message = { id: TextMessageId.make("dc0qdtnkhh6uivg000a0"), to: "+491512345678", text }

const twilio = (sender: string): SmsProvider => ({
  _tag: "Twilio",
  account,
  token: Redacted.make("hush"),
  sender
})

const https: SmsProvider = {
  _tag: "Https",
  url: Redacted.make("https://texts.example/send?key=hush"),
  authorization: Redacted.make("Basic b2RpbjpodXNo")
}

const sentTo = Effect.fnUntraced(function* (settings: SmsProvider) {
  const provider = makeProvider()
  const { send } = yield* sendingTo(provider, settings)
  yield* send(message)
  const [request, ...others] = provider.requests
  assert.lengthOf(others, 0)
  return { request, body: new TextDecoder().decode(request?.body?.bytes) }
})

describe("a text message", () => {
  it.effect.each([
    ["+15005550006", "From"],
    ["Forum", "From"],
    [`MG${"0".repeat(32)}`, "MessagingServiceSid"]
  ] as const)("is handed over to Twilio from %s", ([sender, name]) =>
    Effect.gen(function* () {
      const { body, request } = yield* sentTo(twilio(sender))
      assert.strictEqual(request?.url, `https://api.twilio.com/2010-04-01/Accounts/${account}/Messages.json`)
      assert.strictEqual(
        request?.headers?.authorization,
        `Basic ${Buffer.from(`${account}:hush`).toString("base64")}`
      )
      assert.strictEqual(request?.body?.contentType, "application/x-www-form-urlencoded")
      assert.deepStrictEqual(
        [...new URLSearchParams(body)],
        [
          ["To", message.to],
          [name, sender],
          ["Body", text]
        ]
      )
      assert.strictEqual(request?.redirects, 0)
    })
  )

  it.effect("is handed over to an address as JSON, with the same key for each try", () =>
    Effect.gen(function* () {
      const { body, request } = yield* sentTo(https)
      assert.strictEqual(request?.url, "https://texts.example/send?key=hush")
      assert.deepStrictEqual(request?.headers, {
        "idempotency-key": message.id,
        authorization: "Basic b2RpbjpodXNo"
      })
      assert.strictEqual(request?.body?.contentType, "application/json")
      assert.deepStrictEqual(JSON.parse(body), { to: message.to, text })
      const open = { ...https, authorization: undefined }
      assert.notProperty((yield* sentTo(open)).request?.headers, "authorization")
    })
  )

  it.effect.each([
    [200, undefined],
    [201, undefined],
    [204, undefined],
    [302, true],
    [400, true],
    [401, true],
    [404, true],
    [408, false],
    [425, false],
    [429, false],
    [500, false],
    [503, false]
  ] as const)("that is answered with %i is sent, or refused for ever or for now", ([status, isFinal]) =>
    Effect.gen(function* () {
      for (const settings of [twilio("Forum"), https]) {
        const provider = makeProvider()
        // What it says may repeat the number and the text.
        provider.behaviour = answering(status, { code: 21_211, message: `Not ${message.to}: ${text}` })
        const { send } = yield* sendingTo(provider, settings)
        if (isFinal === undefined) {
          yield* send(message)
          continue
        }
        const failure = yield* Effect.flip(send(message))
        assert.strictEqual(failure.isFinal, isFinal)
        const detail = settings._tag === "Twilio" ? " (error 21211)" : ""
        assert.strictEqual(failure.reason, `The provider of text messages answered ${status}${detail}`)
      }
    })
  )

  it.effect("that is not answered is tried again; what cannot be reached is not", () =>
    Effect.gen(function* () {
      const url = "https://texts.example/send?key=hush"
      for (const [behaviour, reason, isFinal] of [
        [new OutboundFailed({ url, reason: "time" }), "did not answer: time", false],
        [new OutboundRefused({ url, reason: "network" }), "is not reached: network", true]
      ] as const) {
        const provider = makeProvider()
        provider.behaviour = Effect.fail(behaviour)
        const { send } = yield* sendingTo(provider, https)
        const failure = yield* Effect.flip(send(message))
        assert.isTrue(failure.reason.endsWith(reason), failure.reason)
        assert.notInclude(failure.reason, "hush")
        assert.strictEqual(failure.isFinal, isFinal)
      }
    })
  )
})
