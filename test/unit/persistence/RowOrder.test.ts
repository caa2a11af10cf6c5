import { describe, expect, it } from "vitest"
import { isKeyOf, type KeyType } from "../../../src/persistence/shared/RowOrder.ts"

const values: Readonly<
  Record<KeyType, { readonly taken: ReadonlyArray<string>; readonly refused: ReadonlyArray<string> }>
> = {
  text: { taken: ["", "x", "ß", "'; drop table posts", "🙂"], refused: ["\0", "a\0b", "\ud800"] },
  integer: {
    taken: ["0", "-1", "2147483647", "-2147483648"],
    refused: ["", "1.5", "x", "2147483648", "-2147483649", " 1", "1 ", "+1", "1e3", "9".repeat(40), "٢"]
  },
  bigint: {
    taken: ["0", "9223372036854775807", "-9223372036854775808"],
    refused: ["9223372036854775808", "-9223372036854775809", "1n", ""]
  },
  real: {
    taken: ["0", "0.5", "-1.25", "1e-07", "3.4e+38"],
    refused: ["NaN", "Infinity", "1e39", "", ".5", "1e999", "0x1"]
  },
  numeric: {
    taken: ["0", "-1", "0.5", "9".repeat(1000), `-0.${"0".repeat(999)}1`],
    refused: ["NaN", "Infinity", "-Infinity", "1e3", "", ".5", "1.", "+1", " 1", "9".repeat(2001)]
  },
  boolean: { taken: ["true", "false"], refused: ["t", "1", "TRUE", ""] },
  timestamptz: {
    taken: [
      "2026-01-01T00:00:00.000001Z",
      "1970-01-01T00:00:00.000000Z",
      "2024-02-29T23:59:59.999999Z",
      "0001-01-01T00:00:00.000000Z"
    ],
    refused: [
      "2026-02-29T00:00:00.000000Z",
      "2026-02-30T00:00:00.000000Z",
      "2026-13-01T00:00:00.000000Z",
      "2026-01-01T24:00:00.000000Z",
      "2026-01-01T00:00:60.000000Z",
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:00:00.000000+00:00",
      "0000-01-01T00:00:00.000000Z",
      "12026-01-01T00:00:00.000000Z",
      "infinity",
      "now",
      ""
    ]
  }
}

describe("a key of an order", () => {
  it.each(Object.entries(values))("has values of its columns, such as %s", (type, { refused, taken }) => {
    const order = [["t.column", "asc", type as KeyType]] as const
    for (const text of taken) expect(isKeyOf(order, [text]), text).toBe(true)
    for (const text of refused) expect(isKeyOf(order, [text]), text).toBe(false)
  })

  it("has as many values as there are columns", () => {
    const order = [
      ["t.at", "desc", "timestamptz"],
      ["t.id", "desc", "text"]
    ] as const
    const at = "2026-01-01T00:00:00.000001Z"
    expect(isKeyOf(order, [at, "x"])).toBe(true)
    for (const key of [[], [at], [at, "x", "y"], ["x", at]]) expect(isKeyOf(order, key)).toBe(false)
  })
})
