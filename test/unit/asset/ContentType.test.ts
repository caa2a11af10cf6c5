import { performance } from "node:perf_hooks"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { extensionOf } from "../../../src/domain/asset/AssetName.ts"
import { makeInspection } from "../../../src/domain/asset/Inspection.ts"
import { makeTextCheck } from "../../../src/domain/asset/TextCheck.ts"
import { bytesOf, gif, jpeg, png, webp } from "../../support/files.ts"

const inspect = (file: Uint8Array, name = "", part = file.length || 1) => {
  const inspection = makeInspection()
  for (let at = 0; at < file.length; at += part) inspection.add(file.subarray(at, at + part))
  return Effect.runPromise(inspection.finish(extensionOf(name)))
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const plain = "text/plain; charset=utf-8"
const unknown = "application/octet-stream"

describe("the type of a file", () => {
  it.each([
    ["image/png", png(1, 1), "a.txt"],
    ["image/jpeg", jpeg(1, 1), "a.html"],
    ["image/gif", gif(1, 1), "a.svg"],
    ["image/webp", webp.lossy(1, 1), ""],
    ["application/pdf", utf8("%PDF-1.7\n% text"), ""],
    ["application/zip", bytesOf("PK\x03\x04", Buffer.alloc(30), "x"), "a.docx"],
    ["image/gif", utf8("GIF89a/*\n*/=1;alert(1)"), "a.js"],
    [
      "image/svg+xml",
      utf8('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      "a.png"
    ],
    [
      "image/svg+xml",
      utf8('\ufeff<?xml version="1.0"?>\n<!-- <html> --><!DOCTYPE svg [<!ENTITY a ">"> ]>\n<svg/>'),
      ""
    ],
    ["image/svg+xml", utf8("<!doctype svg PUBLIC 'x'><svg:svg>"), ""],
    ["application/xml", utf8("<?xml version='1.0'?><html><svg/></html>"), "a.svg"],
    [plain, utf8("<svgx>"), "a.svg"],
    [plain, utf8("<!-- <svg>"), "a.svg"],
    [plain, utf8("<!DOCTYPE svg [ <svg/>"), "a.svg"],
    [plain, utf8("<!DOCTYPE html><html><svg/><script>alert(1)</script>"), "a.html"],
    [plain, utf8("GIF"), ""],
    [plain, utf8("BM is not only the beginning of an image"), ""],
    [plain, utf8("MZ is not only the beginning of a program"), "a.exe"],
    [plain, utf8("Ελληνικά 🎉\t\x1b[1m\r\n\f"), "a.bin"],
    [plain, bytesOf(), "a.png"],
    ["text/css", utf8("a { b: c }"), "Theme.CSS"],
    ["text/javascript", utf8("alert(1)"), "a.js"],
    ["text/javascript", utf8("export {}"), "a.b.mjs"],
    ["application/json", utf8("{}"), "a.json"],
    [unknown, bytesOf([0xff, 0xfe, 0xfd]), "a.css"],
    [unknown, bytesOf("text with a NUL\0"), "a.txt"],
    [unknown, bytesOf("text that ends within a letter \xe2\x82"), "a.js"],
    [unknown, bytesOf("\xed\xa0\x80"), ""]
  ])("is %s, whatever its name (%#)", async (type, file, name) => {
    for (const part of [file.length || 1, 1, 5]) expect((await inspect(file, name, part)).mimeType).toBe(type)
  })

  it("is decided by all of it", async () => {
    const long = Buffer.alloc(200_000, "x")
    expect((await inspect(long, "a.css", 65_536)).mimeType).toBe("text/css")
    expect((await inspect(bytesOf(long, [0]), "a.css", 65_536)).mimeType).toBe(unknown)
    expect((await inspect(bytesOf(long, [0xff]), "a.css", 65_536)).mimeType).toBe(unknown)
  })

  it("is found without unpacking what is compressed, however long that would take", async () => {
    // As if a tag of 2 MiB were to be skipped in a tape archive.
    const inner = bytesOf("ID3", [3, 0, 0, 0, 0x7f, 0x7f, 0x7f], Buffer.alloc(64 * 1024 * 1024))
    const file = gzipSync(inner, { level: 9 })
    let shortest = Number.POSITIVE_INFINITY
    for (let run = 0; run < 5; run++) {
      const before = performance.eventLoopUtilization()
      expect(await inspect(file)).toMatchObject({ mimeType: "application/gzip" })
      shortest = Math.min(shortest, performance.eventLoopUtilization(before).active)
    }
    // Unpacking takes more than twice this.
    expect(shortest).toBeLessThan(25)
  })

  it("comes with the size in bytes, and in pixels of images", async () => {
    expect(await inspect(png(3, 4))).toMatchObject({ size: 33, width: 3, height: 4 })
    expect(await inspect(jpeg(3, 4, 100_000), "", 4096)).toMatchObject({ width: 3, height: 4 })
    expect(await inspect(utf8("GIF89abcd"))).toMatchObject({ size: 9, mimeType: "image/gif" })
    expect(await inspect(utf8("text"))).toEqual({ size: 4, mimeType: plain, width: 0, height: 0 })
    // Bytes that would be a size, in what is no image.
    expect(await inspect(bytesOf([0xff, 0xc0, 0, 8, 8, 0, 9, 0, 9]))).toMatchObject({ width: 0, height: 0 })
  })
})

describe("a letter of several bytes", () => {
  it("may be cut anywhere", () => {
    const file = utf8("€𝄞ü".repeat(50))
    for (let part = 1; part < 12; part++) {
      const check = makeTextCheck()
      for (let at = 0; at < file.length; at += part) check.add(file.subarray(at, at + part))
      expect(check.isText()).toBe(true)
    }
  })
})
