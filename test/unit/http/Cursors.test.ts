import { Option } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cursorMax } from "../../../src/domain/shared/ListPlace.ts"
import { listDigest, readCursor, writeCursor } from "../../../src/http/pipeline/Cursors.ts"

const encoded = (json: unknown) => Buffer.from(JSON.stringify(json)).toString("base64url")

const list = listDigest("/tags", [undefined, {}])

describe("a cursor", () => {
  it("says what was written, whatever the values", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 100 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 1e6 }),
        (texts, page) => {
          const after = texts.map((text) => text.replaceAll("\0", ""))
          const text = writeCursor({ list, page, after })
          expect(text).toMatch(/^[\w-]+$/)
          expect(Option.getOrThrow(readCursor(text))).toStrictEqual({ list, page, after })
        }
      )
    )
  })

  it("has room for the longest names", () => {
    const name = "🙂".repeat(255)
    const at = "2026-01-01T00:00:00.000001Z"
    const cursor = writeCursor({ list, page: 2 ** 31 - 1, after: [name, name, at, "0".repeat(20)] })
    expect(cursor.length).toBeLessThanOrEqual(cursorMax)
  })

  it.each([
    ["nothing", ""],
    ["no base64", "ä"],
    ["no JSON", Buffer.from("no").toString("base64url")],
    ["bytes that are no text", Buffer.from([0xff, 0xfe]).toString("base64url")],
    ["another version", encoded([2, list, 1, []])],
    ["no array", encoded({ list })],
    ["too few parts", encoded([1, list, 1])],
    ["too many parts", encoded([1, list, 1, [], 2])],
    ["no page", encoded([1, list, 0, []])],
    ["half a page", encoded([1, list, 1.5, []])],
    ["too many pages", encoded([1, list, 2 ** 31, []])],
    ["a number as value", encoded([1, list, 1, [1]])],
    ["null as value", encoded([1, list, 1, [null]])],
    ["a value that cannot be stored", encoded([1, list, 1, ["\0"]])],
    ["half a character", encoded([1, list, 1, ["\ud800"]])],
    ["too long a text", encoded([1, list, 1, ["x".repeat(cursorMax)]])]
  ])("is not %s", (_what, text) => {
    expect(Option.isNone(readCursor(text))).toBe(true)
  })
})

describe("the digest of a list", () => {
  it("is the same for the same parameters in any order, whatever the page", () => {
    const one = listDigest("/x/:id", [{ id: "1" }, { q: "a", sort: "b" }])
    for (const query of [
      { sort: "b", q: "a" },
      { sort: "b", q: "a", page: "7" },
      { sort: "b", cursor: "c", q: "a" },
      { sort: "b", q: "a", kind: undefined }
    ]) {
      expect(listDigest("/x/:id", [{ id: "1" }, query])).toBe(one)
    }
  })

  it("differs with the list, with each parameter and its value, and with where it stands", () => {
    const digests = [
      listDigest("/x/:id", [{ id: "1" }, { q: "a" }]),
      listDigest("/y/:id", [{ id: "1" }, { q: "a" }]),
      listDigest("/x/:id", [{ id: "2" }, { q: "a" }]),
      listDigest("/x/:id", [{ id: "1" }, { q: "b" }]),
      listDigest("/x/:id", [{ id: "1" }, { sort: "a" }]),
      listDigest("/x/:id", [{ id: "1" }, { q: ["a"] }]),
      listDigest("/x/:id", [{ id: "1" }, {}]),
      listDigest("/x/:id", [{ id: "1", q: "a" }, {}])
    ]
    expect(new Set(digests).size).toBe(digests.length)
  })
})
