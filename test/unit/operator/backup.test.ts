import { assert, describe, it } from "@effect/vitest"
import { decideKey } from "../../../src/operator/backup/InstanceKey.ts"
import { makeLayout } from "../../../src/operator/backup/Layout.ts"
import { makeProgress, sizeText } from "../../../src/operator/shared/Progress.ts"
import { headerOf } from "../../../src/operator/shared/Tar.ts"

const manifest = (is_included: boolean) => ({
  format: 1 as const,
  release: "1.0.0",
  made_at: "2026-11-26T00:00:00.000Z",
  migrations: ["0001_baseline"],
  postgresql: "18",
  tables: ["one", "three", "two"].map((name) => ({ name, columns: ["id"] })),
  encryption_key: { fingerprint: null, is_included }
})

describe("the layout of a backup", () => {
  const goesThrough = (names: ReadonlyArray<string>, isIncluded = false) => {
    const layout = makeLayout(manifest(isIncluded))
    for (const name of names) layout.next(name)
    return layout.isComplete()
  }

  it.each([
    ["nothing but its ends", ["sequences.json", "totals.json"], false],
    ["a key", ["encryption.key", "sequences.json", "totals.json"], true],
    [
      "rows of some tables",
      ["tables/one.000001.copy", "tables/two.000001.copy", "sequences.json", "totals.json"],
      false
    ],
    [
      "rows in parts",
      ["tables/one.000001.copy", "tables/one.000002.copy", "sequences.json", "totals.json"],
      false
    ],
    ["files", ["sequences.json", "files/a", "files/b", "totals.json"], false]
  ] as const)("takes %s", (_, names, isIncluded) => {
    assert.isTrue(goesThrough(names, isIncluded))
    assert.isFalse(goesThrough(names.slice(0, -1), isIncluded))
  })

  it.each([
    ["a key that is not announced", ["encryption.key"], false],
    ["rows instead of a key", ["tables/one.000001.copy"], true],
    ["a table that is not announced", ["tables/four.000001.copy"], false],
    ["tables in another order", ["tables/two.000001.copy", "tables/one.000001.copy"], false],
    ["a part twice", ["tables/one.000001.copy", "tables/one.000001.copy"], false],
    ["a second part alone", ["tables/one.000002.copy"], false],
    ["files before sequences", ["files/a"], false],
    ["totals before sequences", ["totals.json"], false],
    ["rows after sequences", ["sequences.json", "tables/one.000001.copy"], false],
    ["files after totals", ["sequences.json", "totals.json", "files/a"], false],
    ["a name that leads elsewhere", ["sequences.json", "files/../a"], false]
  ] as const)("refuses %s", (_, names, isIncluded) => {
    assert.throws(() => goesThrough(names, isIncluded), /does not belong there/)
  })
})

describe("the key of a backup", () => {
  const one = "1".repeat(64)
  const two = "2".repeat(64)

  it.each([
    [null, false, undefined, "nothing"],
    [null, false, one, "nothing"],
    [one, false, one, "nothing"],
    [one, true, one, "nothing"],
    [one, true, undefined, "write"],
    [one, false, undefined, "missing"],
    [one, true, two, "other"],
    [one, false, two, "other"]
  ] as const)("of %s (included: %s) where there is %s: %s", (fingerprint, is_included, here, outcome) => {
    assert.strictEqual(
      decideKey({ fingerprint, is_included }, { fingerprint: here, text: undefined }),
      outcome
    )
  })
})

describe("the header of a file in an archive", () => {
  it("is that of ustar, with its checksum", () => {
    const header = headerOf({ name: "tables/posts.000001.copy", size: 4096, seconds: 1 })
    assert.strictEqual(header.length, 512)
    assert.strictEqual(header.toString("latin1", 0, 19), "posts.000001.copy\0\0")
    assert.strictEqual(header.toString("latin1", 100, 108), "0000600\0")
    assert.strictEqual(header.toString("latin1", 124, 136), "00000010000\0")
    assert.strictEqual(header.toString("latin1", 257, 265), "ustar\x0000")
    assert.strictEqual(header.toString("latin1", 345, 352), "tables\0")
    const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
    assert.strictEqual(Number.parseInt(header.toString("latin1", 148, 154), 8), sum)
  })
})

describe("the progress of a long command", () => {
  const told = (isTTY: boolean) => {
    const written: Array<string> = []
    let now = 0
    const write = (text: unknown) => written.push(String(text)) > 0
    const progress = makeProgress({ isTTY, write }, () => now)
    return { progress, written, at: (millis: number) => (now = millis) }
  }

  it("is a bar on a terminal, which goes when it is done", () => {
    const { at, progress, written } = told(true)
    progress.at("rows", 0, 200)
    progress.at("rows", 50, 200)
    at(100)
    progress.at("rows", 100, 200)
    at(200)
    progress.at("rows", 300, 200)
    progress.at("indexes")
    progress.end()
    progress.end()
    assert.deepStrictEqual(written, [
      "\r\x1b[Krows  [....................] 0 %",
      "\r\x1b[Krows  [##########..........] 50 %  100 bytes",
      "\r\x1b[Krows  [####################] 99 %  300 bytes",
      "\r\x1b[Kindexes",
      "\r\x1b[K"
    ])
  })

  it("is lines of JSON without one, each few seconds", () => {
    const { at, progress, written } = told(false)
    progress.at("rows", 0, 200)
    at(4_999)
    progress.at("rows", 50, 200)
    at(5_000)
    progress.at("rows", 100, 200)
    progress.at("indexes")
    progress.end()
    assert.deepStrictEqual(
      written.map((line) => JSON.parse(line)),
      [
        { step: "rows", bytes: 0, percent: 0 },
        { step: "rows", bytes: 100, percent: 50 },
        { step: "indexes", bytes: 0 }
      ]
    )
    assert.isTrue(written.every((line) => line.endsWith("}\n")))
  })

  it.each([
    [0, "0 bytes"],
    [999, "999 bytes"],
    [1000, "1.0 KB"],
    [123_456, "123 KB"],
    [12_345_678, "12.3 MB"],
    [5e12, "5.0 TB"],
    [5e15, "5000 TB"]
  ])("says %s bytes as %s", (bytes, expected) => {
    assert.strictEqual(sizeText(bytes), expected)
  })
})
