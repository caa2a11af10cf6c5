import { describe, expect, it } from "vitest"
import { describedByMember, describedByPage, type LinkText } from "../../../src/domain/link/LinkText.ts"
import { AccountId } from "../../../src/domain/shared/Id.ts"

const freya = AccountId.make("00000000000000000010")
const loki = AccountId.make("00000000000000000020")

const text = (title: string, description: string, describedBy?: AccountId): LinkText => ({
  title,
  description,
  describedBy
})

const bare = text("", "")

describe("what a member gives", () => {
  const byLoki = { accountId: loki, isStaff: false }
  const byStaff = { accountId: loki, isStaff: true }

  it.each([
    ["is kept where nothing is known", bare, { title: "T" }, byLoki, text("T", "", loki)],
    ["may be a description alone", bare, { description: "D" }, byLoki, text("", "D", loki)],
    ["is nothing", bare, {}, byLoki, bare],
    ["is empty", bare, { title: "", description: "" }, byLoki, bare],
    ["replaces their own", text("T", "D", loki), { title: "U" }, byLoki, text("U", "D", loki)],
    ["takes their own away", text("T", "", loki), { title: "" }, byLoki, bare],
    ["does not replace the page's", text("T", ""), { title: "U", description: "D" }, byLoki, text("T", "")],
    ["does not complete the page's", text("", "D"), { title: "U" }, byLoki, text("", "D")],
    ["does not replace others'", text("T", "D", freya), { title: "U" }, byLoki, text("T", "D", freya)],
    ["replaces the page's if they are staff", text("T", "D"), { title: "U" }, byStaff, text("U", "D", loki)],
    [
      "replaces others' if they are staff",
      text("T", "D", freya),
      { title: "U" },
      byStaff,
      text("U", "D", loki)
    ],
    ["leaves others' alone if it is nothing", text("T", "D", freya), {}, byStaff, text("T", "D", freya)]
  ])("%s", (_, before, given, by, after) => expect(describedByMember(before, given, by)).toEqual(after))
})

describe("what a page says", () => {
  it.each([
    ["is kept where nothing is known", bare, text("P", "Q"), text("P", "Q")],
    ["replaces what it said before", text("O", "L"), text("P", "Q"), text("P", "Q")],
    ["replaces nothing with nothing", text("O", "L"), text("", "Q"), text("O", "Q")],
    ["completes what an account gave", text("T", "", freya), text("P", "Q"), text("T", "Q", freya)],
    ["does not replace what an account gave", text("T", "D", freya), text("P", "Q"), text("T", "D", freya)]
  ])("%s", (_, before, page, after) => expect(describedByPage(before, page)).toEqual(after))
})
