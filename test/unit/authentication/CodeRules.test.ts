import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import {
  decideCode,
  hasAttempts,
  minutesLeft,
  type StoredCode
} from "../../../src/domain/authentication/CodeRules.ts"
import { ClientNetwork } from "../../../src/domain/shared/Client.ts"

const now = DateTime.makeUnsafe("2026-11-23T12:00:00Z")
const in_ = (minutes: number) => DateTime.add(now, { minutes })
const network = ClientNetwork.make("203.0.113.1")
const other = ClientNetwork.make("198.51.100.1")
const owner = { network, isKnown: true }
const stranger = { network: other, isKnown: false }

const stored = (more: Partial<StoredCode> = {}): StoredCode => ({
  nonce: new Uint8Array(16),
  expiresAt: in_(30),
  askedBy: network,
  guesses: [],
  strangersSince: undefined,
  ...more
})
const guesses = (count: number, of: string) => Array.from({ length: count }, () => of)

describe("a code that is asked for", () => {
  it("is a new one where there is none, and without guesses", () => {
    const code = { guesses: [], strangersSince: undefined }
    expect(decideCode(undefined, stranger, now)).toEqual({ _tag: "New", code })
  })

  it.each<[string, Partial<StoredCode>, typeof owner, "New" | "Again", boolean?]>([
    ["alone, by the same network", {}, owner, "New"],
    ["by a stranger beside the owner", {}, stranger, "Again", true],
    ["by the owner beside a stranger", { askedBy: other }, owner, "Again", true],
    ["by a stranger who was alone", { askedBy: other }, stranger, "New"],
    ["by one of several", { askedBy: undefined }, owner, "Again", false],
    ["with ten minutes left", { expiresAt: in_(10) }, stranger, "Again", true],
    ["with less than ten minutes left", { expiresAt: in_(9.99) }, stranger, "New"],
    ["after it expired", { expiresAt: in_(-1) }, stranger, "New"],
    ["by a stranger without attempts", { guesses: guesses(5, `stranger ${other}`) }, stranger, "Again", true],
    [
      "by the owner with attempts left",
      { askedBy: other, guesses: guesses(4, `known ${network}`) },
      owner,
      "Again",
      true
    ],
    [
      "by the owner without attempts",
      { askedBy: other, guesses: guesses(5, `known ${network}`) },
      owner,
      "New"
    ],
    [
      "by the owner when other known networks have used up theirs",
      { askedBy: other, guesses: guesses(20, "known 192.0.2.1") },
      owner,
      "New"
    ]
  ])("%s", (_, code, client, tag, isShared) => {
    const decision = decideCode(stored(code), client, now)
    expect(decision._tag).toBe(tag)
    if (decision._tag === "Again") expect(decision.isShared).toBe(isShared)
  })

  it("inherits the guesses of strangers for their hour, those of who asks alone once renewed", () => {
    const since = DateTime.subtract(now, { minutes: 59 })
    const mixed = [...guesses(5, `stranger ${other}`), "stranger 192.0.2.1", `known ${network}`]
    const code = stored({ askedBy: other, guesses: mixed, strangersSince: since })
    const once = decideCode(code, stranger, now)
    expect(once).toEqual({
      _tag: "New",
      code: { guesses: [...guesses(5, `before ${other}`), "stranger 192.0.2.1"], strangersSince: since }
    })
    const again = [...guesses(5, `before ${other}`), ...guesses(5, `stranger ${other}`)]
    expect(decideCode({ ...code, guesses: again }, stranger, now)).toEqual({
      _tag: "New",
      code: { guesses: again, strangersSince: since }
    })
    expect(decideCode(code, stranger, DateTime.add(now, { minutes: 1 }))).toEqual({
      _tag: "New",
      code: { guesses: [], strangersSince: undefined }
    })
  })
})

describe("attempts at a code", () => {
  it.each([
    [owner, guesses(4, `known ${network}`), true],
    [owner, guesses(5, `known ${network}`), false],
    [owner, guesses(30, `stranger ${network}`), true],
    [owner, guesses(19, "known 192.0.2.1"), true],
    [owner, guesses(20, "known 192.0.2.1"), false],
    [stranger, guesses(5, `known ${other}`), true],
    [stranger, [...guesses(10, "before 192.0.2.1"), ...guesses(9, "stranger 192.0.2.1")], true],
    [stranger, [...guesses(10, "before 192.0.2.1"), ...guesses(10, "stranger 192.0.2.1")], false]
  ])("%o with %o: %s", (client, made, is) => {
    expect(hasAttempts(client, made)).toBe(is)
  })

  it("are told in whole minutes", () => {
    expect(minutesLeft(in_(60), now)).toBe(60)
    expect(minutesLeft(in_(10.9), now)).toBe(10)
  })
})
