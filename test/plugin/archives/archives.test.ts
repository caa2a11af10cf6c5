/** Archives are looked at before anything of them is used, and unpacked as a whole or not at all. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { promisify } from "node:util"
import { deflateRawSync } from "node:zlib"
import { Effect, Fiber } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import {
  type ArchiveRefusal,
  archiveMax,
  archiveRefusals,
  archiveRefusalTexts,
  entriesMax
} from "../../../src/domain/plugin/ArchiveLimit.ts"
import { PluginArchives } from "../../../src/domain/plugin/PluginArchives.ts"
import * as ZipArchives from "../../../src/layers/adapters/plugins/archives/ZipArchives.ts"
import { directory, honest, link, manifestEntry, regular, type ZipEnd, type ZipEntry, zipOf } from "./zip.ts"

const root = mkdtempSync(join(tmpdir(), "archives-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let files = 0

const saved = (bytes: Uint8Array): string => {
  files += 1
  const path = join(root, `${files}.zip`)
  writeFileSync(path, bytes)
  return path
}

const run = <A, E>(use: (archives: PluginArchives["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.result(Effect.flatMap(PluginArchives, use)).pipe(Effect.provide(ZipArchives.layer))
  )

const inspect = (bytes: Uint8Array) => {
  const path = saved(bytes)
  return run(({ inspect }) => inspect(path))
}

const unpack = (bytes: Uint8Array, target: string) => {
  const path = saved(bytes)
  return run(({ unpack }) => unpack(path, target))
}

const refusalOf = async (bytes: Uint8Array) => {
  const result = await inspect(bytes)
  return result._tag === "Failure" ? result.failure.reason : "none"
}

const withManifest = (...entries: ReadonlyArray<ZipEntry>) => zipOf([manifestEntry, ...entries])
const named = (...names: ReadonlyArray<string | Buffer>) =>
  withManifest(...names.map((name) => ({ name, data: "x" })))
const ended = (end: ZipEnd) => zipOf([manifestEntry], end)

const text = (length: number) =>
  Buffer.alloc(length, "The quick brown fox jumps over the lazy dog 0123456789\n")
/** Bytes that do not become smaller. */
const noise = (length: number) => {
  const bytes = Buffer.alloc(length)
  let state = 1
  for (let index = 0; index < length; index++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff
    bytes[index] = state >> 16
  }
  return bytes
}

/** Bytes that become some fifty times smaller, as programs do not. */
const mixed = (length: number) => {
  const [bytes, some] = [text(length), noise(length / 64)]
  for (let at = 0; at < length; at += 65_536) some.copy(bytes, at, at / 64, at / 64 + 1024)
  return bytes
}

const zip64 = Buffer.from("01000800ffffffff00000000", "hex")

const megabyte = 1024 * 1024

const refused: ReadonlyArray<readonly [string, ArchiveRefusal, () => Uint8Array]> = [
  ["of no bytes", "size", () => new Uint8Array()],
  ["that is too large", "size", () => Buffer.alloc(archiveMax + 1)],
  ["that is text", "format", () => Buffer.from("not a zip")],
  ["that is text and long", "format", () => text(200_000)],
  ["of a beginning alone", "format", () => honest().subarray(0, 60)],
  ["without its end", "format", () => honest().subarray(0, -1)],
  ["without its beginning", "outside", () => honest().subarray(10)],
  ["without its middle", "outside", () => Buffer.concat([honest().subarray(0, 20), honest().subarray(40)])],
  ["of several disks", "format", () => ended({ disk: 1 })],
  ["that ends in a record alone and has no files", "manifest-missing", () => zipOf([])],
  ["with more entries than it has", "format", () => ended({ count: 2 })],
  ["with fewer entries than it has", "outside", () => zipOf([manifestEntry, { name: "a" }], { count: 1 })],
  [
    "with too many entries",
    "entries",
    () => withManifest(...Array.from({ length: entriesMax }, (_, n) => ({ name: `f${n}` })))
  ],
  ["of the form for gigabytes", "zip64", () => ended({ locator: true })],
  [
    "with a size of eight bytes that is another",
    "headers",
    () =>
      withManifest({ name: "a", data: "x", told: { size: 0xffffffff }, localTold: { size: 1 }, extra: zip64 })
  ],
  [
    "with a size of eight bytes that is not there",
    "file-size",
    () => withManifest({ name: "a", data: "x", told: { size: 0xffffffff } })
  ],
  ["with bytes before", "outside", () => ended({ before: Buffer.from("#!/bin/sh\n") })],
  [
    "with bytes before that it counts",
    "outside",
    () => {
      const [before, whole] = [Buffer.from("MZ"), honest()]
      return Buffer.concat([before, whole])
    }
  ],
  ["with bytes after", "format", () => ended({ after: Buffer.from("x") })],
  ["with bytes before an entry", "outside", () => withManifest({ name: "a", before: Buffer.from("hidden") })],
  [
    "with bytes after a file whose sizes follow it",
    "outside",
    () =>
      withManifest(
        { name: "a", data: "x", isStreamed: true },
        { name: "b", before: Buffer.from("hidden behind what follows a file") }
      )
  ],
  ["with bytes after the last entry", "outside", () => ended({ between: Buffer.from("hidden") })],
  ["with bytes after the directory", "outside", () => ended({ afterDirectory: Buffer.from("hidden") })],
  [
    "with an entry in the bytes of another",
    "overlap",
    () => withManifest({ name: "a", data: "x" }, { name: "b", data: "x", start: 0 })
  ],
  ["with one entry twice", "overlap", () => withManifest({ name: "manifest.json", start: 0 })],
  ["with an entry after its end", "format", () => withManifest({ name: "a", start: 1_000_000 })],
  [
    "with bytes of the directory in an entry",
    "overlap",
    () => withManifest({ name: "a", data: "xyz", isStored: true, told: { packedSize: 20, size: 20 } })
  ],
  [
    "with another name before the bytes",
    "headers",
    () => withManifest({ name: "ab", localTold: { name: Buffer.from("cd") } })
  ],
  [
    "with another method before the bytes",
    "headers",
    () => withManifest({ name: "a", data: "x", localTold: { method: 0 } })
  ],
  [
    "with another size before the bytes",
    "headers",
    () => withManifest({ name: "a", data: "x", localTold: { size: 2 } })
  ],
  [
    "with another packed size before the bytes",
    "headers",
    () => withManifest({ name: "a", data: "x", localTold: { packedSize: 1 } })
  ],
  [
    "with another checksum before the bytes",
    "headers",
    () => withManifest({ name: "a", data: "x", localTold: { crc: 1 } })
  ],
  [
    "that says in one place alone that sizes follow",
    "headers",
    () => withManifest({ name: "a", data: "x", localTold: { flags: 8 } })
  ],
  [
    "with a file that is encrypted",
    "encryption",
    () => withManifest({ name: "a", data: "x", told: { flags: 1 } })
  ],
  [
    "with a file that is encrypted in one place",
    "encryption",
    () => withManifest({ name: "a", data: "x", localTold: { flags: 1 } })
  ],
  [
    "with a file that is encrypted strongly in one place",
    "encryption",
    () => withManifest({ name: "a", data: "x", localTold: { flags: 0x40 } })
  ],
  [
    "with a file that is encrypted strongly",
    "format",
    () => withManifest({ name: "a", data: "x", told: { flags: 0x41 } })
  ],
  [
    "with names that are masked",
    "encryption",
    () => withManifest({ name: "a", data: "x", told: { flags: 0x2000 } })
  ],
  ["compressed by bzip2", "method", () => withManifest({ name: "a", data: "x", told: { method: 12 } })],
  ["with a patch", "method", () => withManifest({ name: "a", data: "x", told: { flags: 0x20 } })],
  ["with a file elsewhere", "name", () => named("../a")],
  ["with a file elsewhere in the end", "name", () => named("a/../../b")],
  ["with a directory elsewhere", "name", () => withManifest({ name: "../" })],
  ["with a file at the root", "name", () => named("/etc/passwd")],
  ["with a file on a drive", "name", () => named("C:a")],
  ["with backslashes", "name", () => named("..\\a")],
  ["with a NUL", "name", () => named("a\0.txt")],
  ["with a line feed in a name", "name", () => named("a\nb")],
  ["with a control character of one byte", "name", () => named("a\u0085b")],
  ["with a name of no characters", "name", () => named("")],
  ["with a name of a slash", "name", () => withManifest({ name: "/" })],
  ["with a part of no characters", "name", () => named("a//b")],
  ["with a part of a dot", "name", () => named("a/./b")],
  ["with a part that is too long", "name", () => named("a".repeat(256))],
  ["with a part of too many bytes", "name", () => named("ä".repeat(128))],
  ["with a name that is too long", "name", () => named(`${"a".repeat(200)}/`.repeat(6).concat("b"))],
  ["that is too deep", "name", () => named("a/".repeat(32).concat("b"))],
  ["with a name in another encoding", "name", () => named(Buffer.from([0x61, 0xe4]))],
  ["with a name of half a character", "name", () => named(Buffer.from([0xed, 0xa0, 0x80]))],
  ["with a file twice", "duplicate", () => named("a", "a")],
  ["with a manifest twice", "duplicate", () => withManifest(manifestEntry)],
  ["with names that differ in case", "duplicate", () => named("Straße", "STRASSE")],
  ["with names that differ in their normal form", "duplicate", () => named("caf\u00e9", "cafe\u0301")],
  ["with directories that differ in case", "duplicate", () => named("Bin/a", "bin/b")],
  ["with a directory twice", "duplicate", () => withManifest({ name: "a/" }, { name: "a/" })],
  ["with a file in a file", "duplicate", () => named("a", "a/b")],
  ["with a file where a directory is", "duplicate", () => named("a/b", "a")],
  ["with the name of what the service leaves there", "duplicate", () => named(".archive-sha256")],
  ["with a link", "special", () => withManifest({ name: "a", data: "/etc/passwd", mode: link | 0o777 })],
  ["with a link that is a directory", "special", () => withManifest({ name: "a/", mode: link | 0o777 })],
  ["with a device", "special", () => withManifest({ name: "a", mode: 0o020_666 })],
  ["with a pipe", "special", () => withManifest({ name: "a", mode: 0o010_666 })],
  ["with a socket", "special", () => withManifest({ name: "a", mode: 0o140_666 })],
  ["with a directory without a slash", "special", () => withManifest({ name: "a", mode: directory | 0o755 })],
  ["with a file with a slash", "special", () => withManifest({ name: "a/", mode: regular | 0o644 })],
  ["with a directory that has bytes", "special", () => withManifest({ name: "a/", data: "x" })],
  [
    "with a file that is too large",
    "file-size",
    () => withManifest({ name: "a", data: "x", told: { size: 51 * megabyte } })
  ],
  [
    "that is too large unpacked",
    "file-size",
    () => {
      const data = mixed(40 * megabyte)
      const packed = deflateRawSync(data)
      return withManifest(...Array.from({ length: 6 }, (_, n) => ({ name: `f${n}`, data, packed })))
    }
  ],
  ["that is a bomb", "ratio", () => withManifest({ name: "a", data: Buffer.alloc(10 * megabyte) })],
  [
    "with more bytes than it says",
    "contents",
    () => withManifest({ name: "a", data: text(5000), told: { size: 4000 } })
  ],
  [
    "with more bytes than it says, very many",
    "contents",
    () =>
      withManifest({ name: "a", packed: deflateRawSync(Buffer.alloc(60 * megabyte)), told: { size: 1000 } })
  ],
  [
    "with fewer bytes than it says",
    "contents",
    () => withManifest({ name: "a", data: text(5000), told: { size: 6000 } })
  ],
  [
    "with fewer stored bytes than it says",
    "format",
    () => withManifest({ name: "a", data: "xyz", isStored: true, told: { size: 4 } })
  ],
  [
    "with another checksum than it says",
    "contents",
    () => withManifest({ name: "a", data: "xyz", told: { crc: 1 } })
  ],
  [
    "with another checksum of stored bytes",
    "contents",
    () => withManifest({ name: "a", data: "xyz", isStored: true, told: { crc: 1 } })
  ],
  [
    "with bytes that nothing unpacks",
    "contents",
    () => withManifest({ name: "a", data: "xyz", packed: Buffer.from("garbage") })
  ],
  [
    "with half of what is unpacked",
    "contents",
    () => withManifest({ name: "a", data: text(5000), packed: deflateRawSync(text(5000)).subarray(0, 30) })
  ],
  ["without a manifest", "manifest-missing", () => zipOf([{ name: "manifest.json.txt", data: "{}" }])],
  ["with a manifest that is a directory", "manifest-missing", () => zipOf([{ name: "manifest.json/" }])],
  [
    "with a manifest that is too large",
    "manifest-size",
    () => zipOf([{ name: "manifest.json", data: noise(megabyte + 1) }])
  ]
]

describe("an archive", () => {
  it.each(refused)("%s is refused", async (_, reason, bytes) => {
    expect(await refusalOf(bytes())).toBe(reason)
  })

  it("is refused for each of the reasons, of which each is said", () => {
    expect([...new Set(refused.map(([, reason]) => reason))].sort()).toEqual([...archiveRefusals].sort())
    expect(Object.keys(archiveRefusalTexts)).toEqual([...archiveRefusals])
  })

  it("has a size and a hash", async () => {
    const bytes = honest()
    const hash = new Uint8Array(createHash("sha256").update(bytes).digest())
    expect(await inspect(bytes)).toMatchObject({ success: { size: bytes.length, hash } })
  })

  it("that is refused says because of which file", async () => {
    expect(await inspect(named("a", "a"))).toMatchObject({ failure: { reason: "duplicate", file: "a" } })
  })

  it.each<readonly [string, ReadonlyArray<ZipEntry>, ZipEnd]>([
    ["compressed", [manifestEntry], {}],
    ["stored", [{ ...manifestEntry, isStored: true }], {}],
    [
      "as a stream",
      [
        { ...manifestEntry, isStreamed: true },
        { name: "a", data: "x", isStreamed: true }
      ],
      {}
    ],
    ["in a directory", [{ name: "hello/" }, { ...manifestEntry, name: "hello/manifest.json" }], {}],
    ["as the first of two", [manifestEntry, { name: "other/manifest.json", data: "{}" }], {}],
    ["beside a comment", [manifestEntry], { comment: Buffer.from("Made by hand") }],
    [
      "beside directories that are named after what is in them",
      [manifestEntry, { name: "a/b", data: "x" }, { name: "a/" }],
      {}
    ],
    [
      "beside one whose sizes are told in another place than usual",
      [manifestEntry, { name: "a", data: "x", localTold: { size: 0xffffffff, packedSize: 0xffffffff } }],
      {}
    ],
    ["beside empty files", [manifestEntry, { name: "a" }, { name: "b", isStored: true }], {}]
  ])("has its manifest %s", async (_, entries, end) => {
    const result = await inspect(zipOf(entries, end))
    expect(result._tag === "Success" && Buffer.from(result.success.manifest).toString()).toBe(
      manifestEntry.data
    )
  })

  it("is taken or refused, whatever is damaged of it", async () => {
    const whole = zipOf([
      manifestEntry,
      { name: "bin/", mode: directory | 0o755 },
      { name: "bin/run", data: text(300), mode: regular | 0o755 },
      { name: "streamed", data: "x", isStreamed: true, extra: zip64 }
    ])
    const random = noise(6000)
    const outcomes = new Set<string>()
    for (let turn = 0; turn < 1000; turn++) {
      const damaged = Buffer.from(whole)
      // From one byte to four, most of them among the headers.
      for (let change = 0; change <= turn % 4; change++) {
        const at = random.readUInt16LE(turn * 4 + change) % damaged.length
        damaged[at] = random[turn + change * 1000] ?? 0
      }
      outcomes.add(await refusalOf(damaged))
    }
    expect(outcomes.size).toBeGreaterThan(5)
  })

  it("is looked at whole in little time, while the service does other things", async () => {
    const data = mixed(40 * megabyte)
    const packed = deflateRawSync(data)
    const large = withManifest(...Array.from({ length: 4 }, (_, n) => ({ name: `f${n}`, data, packed })))
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    expect(await refusalOf(large)).toBe("none")
    delay.disable()
    // Most of a pause is what others do on the machine.
    expect(delay.percentile(90) / 1e6).toBeLessThan(50)
  })
})

describe("the files of an archive", () => {
  const archive = zipOf([
    { name: "hello/", mode: directory | 0o750 },
    { ...manifestEntry, name: "hello/manifest.json", mode: regular | 0o640 },
    { name: "hello/bin/run", data: text(300_000), mode: regular | 0o4755 },
    { name: "plain", data: "x" },
    { name: "empty", mode: regular | 0o600 }
  ])

  const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8)

  it("are unpacked as they are, with their permissions and nothing else of their modes", async () => {
    const target = join(root, "deep", "target")
    expect((await unpack(archive, target))._tag).toBe("Success")
    expect(readdirSync(target).sort()).toEqual([".archive-sha256", "empty", "hello", "plain"])
    expect(readFileSync(join(target, "hello/manifest.json"), "utf8")).toBe(manifestEntry.data)
    expect(readFileSync(join(target, "hello/bin/run")).equals(text(300_000))).toBe(true)
    expect(
      ["hello", "hello/manifest.json", "hello/bin/run", "plain", "empty"].map((name) =>
        modeOf(join(target, name))
      )
    ).toEqual(["750", "640", "755", "644", "600"])
    expect(readdirSync(join(root, "deep"))).toEqual(["target"])
  })

  it("stay as they are when the archive is the same, and are replaced when it is another", async () => {
    const target = join(root, "again")
    await unpack(archive, target)
    writeFileSync(join(target, "own"), "of the plugin")
    await unpack(archive, target)
    expect(existsSync(join(target, "own"))).toBe(true)
    await unpack(honest(), target)
    expect(readdirSync(target).sort()).toEqual([".archive-sha256", "hello", "manifest.json"])
  })

  it("are unpacked where something else is, or the service has ended while it unpacked", async () => {
    const target = join(root, "left")
    mkdirSync(`${target}.0123.new`, { recursive: true })
    mkdirSync(target)
    writeFileSync(join(target, "other"), "")
    await unpack(honest(), target)
    expect(readdirSync(target).sort()).toEqual([".archive-sha256", "hello", "manifest.json"])
    expect(readdirSync(root).filter((name) => name.startsWith("left"))).toEqual(["left"])
  })

  it("are not there at all if the archive is refused", async () => {
    const target = join(root, "refused")
    const result = await unpack(withManifest({ name: "a", data: "xyz", told: { crc: 1 } }), target)
    expect(result).toMatchObject({ failure: { _tag: "ArchiveRefused", reason: "contents" } })
    expect(readdirSync(root).filter((name) => name.startsWith("refused"))).toEqual([])
  })

  it("are not there at all if they cannot be written, and what was there stays", async () => {
    const target = join(saved(new Uint8Array()), "below-a-file")
    expect(await unpack(honest(), target)).toMatchObject({ failure: { _tag: "UnpackingFailed" } })
  })

  it("are not there at all where the disk is full, which is said", async () => {
    const disk = join(root, "full")
    mkdirSync(disk)
    const mounted = 'mount -t tmpfs -o size=64k forum "$0" && exec "$@"'
    const unpacking = [process.execPath, join(import.meta.dirname, "on-full-disk.ts"), saved(archive), disk]
    const apart = ["--user", "--map-root-user", "--mount", "--", "sh", "-c", mounted, disk]
    const { stdout } = await promisify(execFile)("unshare", [...apart, ...unpacking])
    const { left, reason } = JSON.parse(stdout)
    expect(reason).toContain("UnpackingFailed: Error: ENOSPC: no space left on device")
    expect(left).toEqual([])
  })

  it("are not there at all if who wants them does not wait", async () => {
    const target = join(root, "interrupted")
    const path = saved(archive)
    await Effect.runPromise(
      Effect.gen(function* () {
        const { unpack } = yield* PluginArchives
        const fiber = yield* Effect.forkChild(unpack(path, target), { startImmediately: true })
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide(ZipArchives.layer))
    )
    expect(existsSync(target)).toBe(false)
  })
})
