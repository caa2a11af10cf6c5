import { assert, describe, it } from "@effect/vitest"
import { decideReturn, mayFinish, suggestedHandle } from "../../../src/domain/elsewhere/ElsewhereRules.ts"
import { AccountId, IdentityId } from "../../../src/domain/shared/Id.ts"

const freya = AccountId.make("00000000000000000100")
const loki = AccountId.make("00000000000000000200")

const sender = (accountId: AccountId, suspended = false) => ({ accountId, suspended })
const owned = (accountId: AccountId, suspended = false) => ({
  id: IdentityId.make("00000000000000000i00"),
  accountId,
  suspended
})

describe("who may finish a sign-in elsewhere", () => {
  for (const [began, finishes, may] of [
    [undefined, undefined, true],
    [freya, sender(freya), true],
    [undefined, sender(freya), false],
    [loki, sender(freya), false],
    [freya, undefined, false]
  ] as const) {
    it(`${began ?? "a guest"} began, ${finishes?.accountId ?? "a guest"} comes back: ${may}`, () => {
      assert.strictEqual(mayFinish(began, finishes), may)
    })
  }
})

describe("who comes back from elsewhere", () => {
  for (const [who, owner, tag] of [
    [undefined, undefined, "SignUp"],
    [undefined, owned(freya), "SignIn"],
    [undefined, owned(freya, true), "Suspended"],
    [sender(freya), undefined, "Add"],
    [sender(freya), owned(freya), "SignIn"],
    [sender(freya), owned(loki), "Taken"],
    [sender(freya), owned(loki, true), "Taken"],
    [sender(freya, true), undefined, "Suspended"],
    [sender(freya, true), owned(freya, true), "Suspended"],
    [sender(freya, true), owned(loki), "Suspended"]
  ] as const) {
    const name = `${who?.accountId ?? "a guest"}${who?.suspended === true ? ", suspended" : ""}`
    it(`${name}, with what belongs to ${owner?.accountId ?? "nobody"}: ${tag}`, () => {
      assert.strictEqual(decideReturn(who, owner)._tag, tag)
    })
  }
})

describe("a handle of names elsewhere", () => {
  for (const [names, handle] of [
    [["Freya"], "freya"],
    [["Odin Allfather", "odin"], "odin-allfather"],
    [["", "!!!", "Sif"], "sif"],
    [["sif@asgard.test"], "sif"],
    [["@asgard"], undefined],
    [["Þórr"], "þórr"],
    [["日本語の名前です日本語"], "日本語の名前で"],
    [["a".repeat(1000)], "a".repeat(22)],
    [[`${"a".repeat(21)} b`], "a".repeat(21)],
    [[], undefined],
    [["\u200b"], undefined]
  ] as const) {
    it(`${JSON.stringify(names).slice(0, 60)} is ${handle}`, () => {
      assert.strictEqual(suggestedHandle(names), handle)
    })
  }
})
