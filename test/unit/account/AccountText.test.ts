import { describe, expect, it } from "vitest"
import { formMax, formsOf } from "../../../src/domain/account/AccountText.ts"

describe("formsOf", () => {
  it("folds letter case and accents, and leaves out what is not given", () => {
    expect(formsOf({ name: "Frëyja  ÁSDÍS", handle: "frëyja" })).toEqual({
      nameForm: "freyja asdis",
      handleForm: "freyja"
    })
    expect(formsOf({ name: "X", handle: undefined })).toEqual({ nameForm: "x", handleForm: undefined })
    expect(formsOf({ name: undefined, handle: "y" })).toEqual({ nameForm: undefined, handleForm: "y" })
  })

  it("cuts what becomes too long between characters", () => {
    const { nameForm = "" } = formsOf({ name: "ﷺ".repeat(255), handle: undefined })
    expect(Array.from(nameForm)).toHaveLength(formMax)
    const { nameForm: astral = "" } = formsOf({ name: "\u{1d306}".repeat(255), handle: undefined })
    expect(Array.from(astral)).toHaveLength(formMax)
    expect(astral.isWellFormed()).toBe(true)
  })
})
