/** The pure rules of phone numbers: their one form, and what is sent to who names one. */
import { describe, expect, it } from "vitest"
import { toPhoneNumber } from "../../../src/domain/authentication/PhoneNumber.ts"
import {
  codeText,
  decideReply,
  otherHandleText,
  otherNumberText
} from "../../../src/domain/authentication/PhoneRules.ts"

const digits = (count: number) => "1".repeat(count)

describe("a phone number", () => {
  it.each([
    ["+491512345678", "+491512345678"],
    ["  +49 1512 345 678 ", "+491512345678"],
    ["+49-1512-345-678", "+491512345678"],
    ["+49\u20111512\u2013345\u2014678", "+491512345678"],
    ["+49\u00a01512\u202f345\u2009678", "+491512345678"],
    ["+49.1512.345.678", "+491512345678"],
    ["+49 (1512) 345/678", "+491512345678"],
    ["+49 (0) 1512 345678", "+491512345678"],
    ["+49 (0)1512 345678", "+491512345678"],
    ["+44 (0)20 7946 0958", "+442079460958"],
    ["\u202a+49 1512 345678\u202c", "+491512345678"],
    ["\uff0b\uff14\uff19 1512 345678", "+491512345678"],
    ["+6834000", "+6834000"],
    [`+${digits(7)}`, `+${digits(7)}`],
    [`+${digits(6)}`, undefined],
    [`+${digits(15)}`, `+${digits(15)}`],
    [`+${digits(16)}`, undefined],
    ["+0491512345678", undefined],
    ["0151 2345678", undefined],
    ["00491512345678", undefined],
    ["491512345678", undefined],
    ["++491512345678", undefined],
    ["+49151234+5678", undefined],
    ["+49 1512 345678 ext. 9", undefined],
    ["+49 1512 FORUM", undefined],
    ["tel:+491512345678", undefined],
    ["+491512345678,+491512345679", undefined],
    ["+٤٩١٥١٢٣٤٥٦٧٨", undefined],
    ["+", undefined],
    ["", undefined]
  ])("%j is %s", (text, number) => {
    expect(toPhoneNumber(text)).toBe(number)
  })
})

describe("who names a number", () => {
  it.each([
    ["1", "1", undefined, "Code"],
    ["1", "2", undefined, "OtherNumber"],
    ["1", "2", "odin", "OtherHandle"],
    ["1", undefined, "odin", "OtherHandle"]
  ])("%s with a handle that has %s, where %s has the number, gets %s", (number, of, owner, tag) => {
    expect(decideReply(number, of, owner)._tag).toBe(tag)
  })
})

describe("a message", () => {
  const title = `My\n forum ${"x".repeat(100)}`

  it("has the code, whose it is, and how long it is valid", () => {
    expect(codeText("My forum", "odin", "012345", 60)).toBe(
      "012345 is your code for odin on My forum. It is valid for one hour. If you did not ask for this, ignore it."
    )
    expect(codeText("My forum", "odin", "012345", 12)).toContain("valid for 12 minutes.")
  })

  it.each([
    codeText(title, "o".repeat(30), "012345", 60),
    otherHandleText(title, "o".repeat(30)),
    otherNumberText(title, "o".repeat(30))
  ])("is one line that fits into what is stored: %s", (text) => {
    expect(text).toMatch(/^[^\n]{1,300}$/)
  })
})
