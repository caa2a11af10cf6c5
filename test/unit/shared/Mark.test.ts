import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseMark, threadMark } from "../../../src/domain/shared/Mark.ts"

const id = "d0q2m9k7h4v8s6e3b1c0"

describe("parseMark", () => {
  it.each([id, `${id}-`, `${id}-a-title`, `${id}-${id}`, `${id}-Бабочки 🦋`])(
    "reads an id from %j",
    (value) => {
      expect(parseMark(value)).toEqual({ id })
    }
  )

  it.each([
    "",
    "a-title",
    id.slice(1),
    `${id}x`,
    `${id}_title`,
    `${id} -x`,
    `W${id.slice(1)}`,
    `z${id.slice(1)}`,
    `x-${id}`,
    "бабочки",
    "𝔸".repeat(10)
  ])("reads a slug from %j", (value) => {
    expect(parseMark(value)).toEqual({ slug: value })
  })

  it("reads any text as a slug, and after an id as part of it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(parseMark(text)).toEqual({ slug: text })
        expect(parseMark(`${id}-${text}`)).toEqual({ id })
      })
    )
  })
})

describe("threadMark", () => {
  it.each([id, `${id}-a-title`, `${id}x`, `${id}🦋`, `${id}#${id}`])(
    "reads the id at the start of %j",
    (value) => {
      expect(threadMark(value)).toBe(id)
    }
  )

  it.each(["", "a-title", id.slice(1), `-${id}`, id.toUpperCase(), `${id.slice(1)}z`])(
    "finds no id in %j",
    (value) => {
      expect(threadMark(value)).toBeUndefined()
    }
  )
})
