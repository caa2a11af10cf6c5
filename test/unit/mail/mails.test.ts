/** The pure rules of mails: what is in headers, when one is tried again, and what the settings of the server mean. */
import { DateTime, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { decideNextTry, secondsUntilFree } from "../../../src/domain/mail/MailRules.ts"
import { neutralName, recipientKey, subjectLine } from "../../../src/domain/mail/MailText.ts"
import { readMailServer, readSender } from "../../../src/layers/process/MailAddresses.ts"

const now = DateTime.makeUnsafe("2026-01-02T03:04:05.000Z")

describe("another try", () => {
  const failed = { _tag: "Failed", error: "450 Busy" } as const

  it.each([
    [1, "2026-01-02T03:05:05.000Z"],
    [5, "2026-01-02T03:05:05.000Z"],
    [6, undefined],
    [7, undefined]
  ])("after %i failures is at %s", (tries, at) => {
    const next = decideNextTry(failed, tries, now)
    expect(next && DateTime.formatIso(next)).toBe(at)
  })

  it("is not due for what was sent", () => {
    expect(decideNextTry({ _tag: "Sent" }, 1, now)).toBeUndefined()
  })

  it.each([
    ["2026-01-02T02:04:05.001Z", 1],
    ["2026-01-02T02:04:06.001Z", 2],
    ["2026-01-02T03:04:05.000Z", 3600],
    ["2026-01-02T02:04:05.000Z", 1]
  ])("of an address whose oldest mail is of %s comes after %i seconds", (oldest, seconds) => {
    expect(secondsUntilFree(DateTime.makeUnsafe(oldest), now)).toBe(seconds)
  })
})

describe("a display name", () => {
  it.each([
    ["Freya", "Freya"],
    ["O'Brien-Smith, Jr.", "O'Brien-Smith, Jr."],
    ["J.R.R. Tolkien", "J. R. R. Tolkien"],
    ["Dr... Who", "Dr... Who"],
    ["a.b", "a. b"],
    ["a．b。c｡d", "a． b。 c｡ d"],
    ["http://evil.example/?a=b", "http evil. example ?a=b"],
    ["a@b", "a b"],
    ["a＠b﹫c", "a b c"],
    ['"a" <b>', "a b"],
    ["a\r\nBcc: x", "a Bcc x"],
    ["a\u202eb", "ab"],
    [" . ", "."],
    ["@", ""],
    ["🦊".repeat(65), "🦊".repeat(64)]
  ])("of %j is shown as %j", (name, shown) => {
    expect(neutralName(name)).toBe(shown)
    expect(neutralName(shown)).toBe(shown)
  })
})

describe("a subject", () => {
  it.each([
    ["Hello", "Hello"],
    ["Hello\r\nBcc: x", "Hello Bcc: x"],
    ["x".repeat(201), "x".repeat(200)]
  ])("of %j is %j", (subject, line) => {
    expect(subjectLine(subject)).toBe(line)
  })
})

describe("a recipient", () => {
  it.each([
    ["Freya@Example.COM", "freya@example.com"],
    [" freya@example.com. ", "freya@example.com"],
    ["freya@bücher.example", "freya@xn--bcher-kva.example"],
    ['"a@b"@example.com', '"a@b"@example.com'],
    ["freya+forum@example.com", "freya+forum@example.com"],
    ["freya@[127.0.0.1]", "freya@[127.0.0.1]"],
    ["freya@a_b c", "freya@a_b c"]
  ])("of %j is counted as %j", (address, key) => {
    expect(recipientKey(address)).toBe(key)
  })
})

describe("SMTP_URL", () => {
  const read = (text: string) => {
    const server = readMailServer(text)
    if (server === undefined) return undefined
    const { encryption, host, isVerified, port, user } = server
    return [host, port, encryption, isVerified, user && `${user.name} ${Redacted.value(user.password)}`]
  }

  it.each([
    ["smtp://mail.example", ["mail.example", 587, "offered", true, undefined]],
    ["smtp://mail.example:2525/", ["mail.example", 2525, "offered", true, undefined]],
    ["smtp://u:p@mail.example", ["mail.example", 587, "required", true, "u p"]],
    ["smtp://u%40x:p%3A%20%2F@mail.example:25", ["mail.example", 25, "required", true, "u@x p: /"]],
    ["smtps://u:p@mail.example", ["mail.example", 465, "always", true, "u p"]],
    ["smtps://mail.example:1465?verify=off", ["mail.example", 1465, "always", false, undefined]],
    ["smtp://localhost:1025", ["localhost", 1025, "offered", false, undefined]],
    ["smtp://u:p@127.0.0.1:1025", ["127.0.0.1", 1025, "offered", false, "u p"]],
    ["smtp://[::1]:1025", ["::1", 1025, "offered", false, undefined]],
    ["smtp://localhost?verify=on&tls=required", ["localhost", 587, "required", true, undefined]],
    ["smtp://u:p@mail.example?tls=off", ["mail.example", 587, "off", true, "u p"]],
    ["smtp://u:p@mail.example?tls=offered", ["mail.example", 587, "offered", true, "u p"]]
  ])("%s is read", (text, server) => {
    expect(read(text)).toEqual(server)
  })

  it.each([
    "mail.example",
    "http://mail.example",
    "smtp://",
    "smtp://mail.example/path",
    "smtp://mail.example#x",
    "smtp://mail.example:0",
    "smtp://mail.example:99999",
    "smtp://u@mail.example",
    "smtp://:p@mail.example",
    "smtp://u:%zz@mail.example",
    "smtp://mail.example?tls=maybe",
    "smtp://mail.example?tls=off&tls=required",
    "smtp://mail.example?proxy=http://x",
    "smtp://mail.example?verify=no",
    "smtps://mail.example?tls=off",
    "smtp://a%0ab"
  ])("%s is refused", (text) => {
    expect(readMailServer(text)).toBeUndefined()
  })
})

describe("MAIL_FROM", () => {
  it.each([
    ["forum@example.com", "", "forum@example.com"],
    ["<forum@example.com>", "", "forum@example.com"],
    ["Forum <forum@example.com>", "Forum", "forum@example.com"],
    ['"The Forum, Ltd." <forum@example.com>', "The Forum, Ltd.", "forum@example.com"],
    ["Öffentlich <forum@bücher.example>", "Öffentlich", "forum@bücher.example"]
  ])("%s is read", (text, name, address) => {
    expect(readSender(text)).toEqual({ name, address })
  })

  it.each([
    "",
    "forum",
    "@example.com",
    "forum@",
    "a b@example.com",
    "a@example.com, b@example.com",
    "Forum <a@example.com> <b@example.com>",
    "Forum\nBcc: x <a@example.com>",
    `${"x".repeat(101)} <a@example.com>`
  ])("%j is refused", (text) => {
    expect(readSender(text)).toBeUndefined()
  })
})
