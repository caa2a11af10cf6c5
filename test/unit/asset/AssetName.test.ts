import { describe, expect, it } from "vitest"
import { extensionOf, fileNameOf, nameMax, storedNameOf } from "../../../src/domain/asset/AssetName.ts"
import { isSlug } from "../../../src/domain/shared/Slug.ts"

const id = "dc0qdt7khh6uivg0005g"

describe("the stored name", () => {
  it.each([
    ["photo.png", "photo-png"],
    ["My Photo (1).JPG", "my-photo-1-jpg"],
    ["Бабочки.png", "бабочки-png"],
    ["../../etc/passwd", "etc-passwd"],
    ["a\\b:c", "a-b-c"],
    ["_x_", "_x"],
    ["ﬁle.txt", "file-txt"]
  ])("of %j is its slug, after the id", (name, slug) => {
    expect(storedNameOf(id, name)).toBe(`${id}-${slug}`)
  })

  it("of what leaves nothing is the id", () => {
    expect(storedNameOf(id, "🎉")).toBe(id)
  })

  it("is bounded, and a slug, whatever the name", () => {
    for (const name of ["\ufdfa".repeat(nameMax), "x".repeat(nameMax), "a ".repeat(127), "ﷺ.png"]) {
      const stored = storedNameOf(id, name)
      expect(Array.from(stored).length).toBeLessThanOrEqual(id.length + 1 + nameMax)
      expect(isSlug(stored)).toBe(true)
    }
    expect(storedNameOf(id, "x".repeat(nameMax))).toBe(`${id}-${"x".repeat(nameMax)}`)
  })
})

describe("the name for people", () => {
  it.each([
    ["photo.png", "photo.png"],
    ["C:\\pictures\\photo.png", "photo.png"],
    ["/a/../b c.txt", "b c.txt"],
    ["../..", "untitled"],
    ["a/", "untitled"],
    ["", "untitled"],
    [".", "untitled"]
  ])("of %j is %j", (name, expected) => {
    expect(fileNameOf(name)).toBe(expected)
  })
})

describe("the extension", () => {
  it.each([
    ["a.CSS", "css"],
    ["a.tar.gz", "gz"],
    [".js", "js"],
    ["a", ""],
    ["a.", ""],
    ["a.b c", ""],
    ["a.abcdefghijk", ""]
  ])("of %j is %j", (name, expected) => {
    expect(extensionOf(name)).toBe(expected)
  })
})
