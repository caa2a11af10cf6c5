/** The pure rules of text messages: when one is tried again, when there may be another, and what the setting means. */
import { DateTime, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { decideNextTry, secondsUntilFree } from "../../../src/domain/sms/SmsRules.ts"
import { readSmsProvider } from "../../../src/layers/process/SmsAddress.ts"

const now = DateTime.makeUnsafe("2026-01-02T03:04:05.000Z")
const inAnHour = DateTime.makeUnsafe("2026-01-02T04:04:05.000Z")

describe("another try", () => {
  const failed = { _tag: "Failed", reason: "busy", isFinal: false } as const

  it.each([
    [1, "2026-01-02T03:04:10.000Z"],
    [2, "2026-01-02T03:04:20.000Z"],
    [3, "2026-01-02T03:05:05.000Z"],
    [4, "2026-01-02T03:07:05.000Z"],
    [5, "2026-01-02T03:14:05.000Z"],
    [6, undefined],
    [7, undefined]
  ])("after %i failures is at %s", (tries, at) => {
    const next = decideNextTry(failed, tries, now, inAnHour)
    expect(next && DateTime.formatIso(next)).toBe(at)
  })

  it("is not due for what was sent, for what is refused for ever, and once nobody can use it", () => {
    expect(decideNextTry({ _tag: "Sent" }, 1, now, inAnHour)).toBeUndefined()
    expect(decideNextTry({ ...failed, isFinal: true }, 1, now, inAnHour)).toBeUndefined()
    expect(decideNextTry(failed, 1, now, DateTime.makeUnsafe("2026-01-02T03:04:10.000Z"))).toBeUndefined()
    expect(decideNextTry(failed, 1, now, DateTime.makeUnsafe("2026-01-02T03:04:10.001Z"))).toBeDefined()
  })
})

describe("another message", () => {
  it.each([
    ["2026-01-02T03:04:05.000Z", 86_400],
    ["2026-01-01T03:04:06.001Z", 2],
    ["2026-01-01T03:04:05.000Z", 1]
  ])("of a number whose oldest one is of %s comes after %i seconds", (oldest, seconds) => {
    expect(secondsUntilFree(DateTime.makeUnsafe(oldest), now)).toBe(seconds)
  })
})

const sid = `AC${"0123456789abcdef".repeat(2)}`
const service = `MG${"0123456789abcdef".repeat(2)}`

describe("a provider", () => {
  it.each(["+15005550006", "Forum", "My Forum 24", service])("of Twilio sends from %s", (sender) => {
    const provider = readSmsProvider(`twilio://${sid}:hush%2Fhush@${sender}`)
    expect(provider).toMatchObject({ _tag: "Twilio", account: sid, sender })
    expect(provider?._tag === "Twilio" && Redacted.value(provider.token)).toBe("hush/hush")
  })

  it.each([
    ["https://texts.example/send?key=hush", "https://texts.example/send?key=hush", undefined],
    ["https://texts.example:8443", "https://texts.example:8443/", undefined],
    ["https://odin:hush%20hush@texts.example/", "https://texts.example/", "Basic b2RpbjpodXNoIGh1c2g="]
  ])("may be the address %s", (text, address, authorization) => {
    const provider = readSmsProvider(text)
    expect(provider?._tag).toBe("Https")
    if (provider?._tag !== "Https") return
    expect(Redacted.value(provider.url)).toBe(address)
    expect(provider.authorization && Redacted.value(provider.authorization)).toBe(authorization)
  })

  it.each([
    "twilio",
    "twilio://",
    `twilio://${sid}`,
    `twilio://${sid}@+15005550006`,
    `twilio://${sid}:@+15005550006`,
    `twilio://${sid}:hush@`,
    `twilio://${sid}:hush@+0500`,
    `twilio://${sid}:hush@15005550006`,
    `twilio://${sid}:hush@TwelveLetter`,
    `twilio://${sid}:%zz@Forum`,
    `twilio://${sid}:hush@Forum/path`,
    `twilio://SK${"0".repeat(32)}:hush@Forum`,
    `twilio://${sid.slice(1)}:hush@Forum`,
    "http://texts.example/send",
    "https://",
    "https://texts.example/#send",
    "https://texts example/",
    "https://a%3Ab:c@texts.example/",
    "ftp://texts.example/",
    "texts.example"
  ])("is not %j", (text) => {
    expect(readSmsProvider(text)).toBeUndefined()
  })
})
