/** What the doctor says of what it has found out. */
import { assert, describe, it } from "@effect/vitest"
import { backupFinding } from "../../../src/operator/doctor/backups.ts"
import {
  clockFinding,
  notedFindings,
  schemaFinding,
  serverFindings
} from "../../../src/operator/doctor/database.ts"
import { lineOf, ok, warn } from "../../../src/operator/doctor/Finding.ts"
import { diskFinding } from "../../../src/operator/doctor/machine.ts"
import { settingsFindings } from "../../../src/operator/doctor/settings.ts"
import { outcomeOf } from "../../../src/operator/migrate.ts"
import type { MigrationState } from "../../../src/persistence/shared/Migrations.ts"

const mebibyte = 1024 * 1024

const levelOf = (findings: ReadonlyArray<{ readonly name: string; readonly level: string }>, name: string) =>
  findings.find((finding) => finding.name === name)?.level

describe("the doctor", () => {
  it.each([
    ["http://localhost:8000", "ok", "ok"],
    ["http://127.0.0.1:8000", "ok", "ok"],
    ["http://[::1]:8000", "ok", "ok"],
    ["http://forum.localhost", "ok", "ok"],
    ["http://forum.example", "warn", "warn"],
    ["http://localhost.example", "warn", "warn"],
    ["https://forum.example", "ok", "warn"]
  ])("of the address %s says %s, and of no proxies %s", (address, addresses, proxies) => {
    const url = new URL(address)
    const findings = settingsFindings({ publicUrl: url, webUrl: url, trustedProxies: [] })
    assert.strictEqual(levelOf(findings, "addresses"), addresses)
    assert.strictEqual(levelOf(findings, "proxies"), proxies)
  })

  it.each([
    ["none", undefined, "warn"],
    ["one of an hour ago", 1, "ok"],
    ["one of two days ago", 48, "ok"],
    ["one of more than two days ago", 49, "fail"]
  ] as const)("finds %s among daily backups", (_, hoursAgo, level) => {
    const now = Date.parse("2026-11-26T00:00:00Z")
    const newest =
      hoursAgo === undefined ? undefined : { name: "forum.tar.zst", at: now - hoursAgo * 3_600_000 }
    const daily = { directory: "/var/backups/forum", everySeconds: 86_400, keep: 7 }
    assert.strictEqual(backupFinding(daily, newest, now).level, level)
  })

  it("looks at the address of the frontend as well", () => {
    const findings = settingsFindings({
      publicUrl: new URL("https://forum.example"),
      webUrl: new URL("http://www.forum.example"),
      trustedProxies: []
    })
    assert.strictEqual(levelOf(findings, "addresses"), "warn")
  })

  it.each([
    [199, 0, "fail"],
    [200, 0, "warn"],
    [2047, 0, "warn"],
    [2048, 0, "ok"],
    [1023, 1024, "fail"],
    [1024, 1024, "warn"],
    [2048, 1024, "ok"],
    [2048, 2048, "warn"],
    [4096, 2048, "ok"]
  ])("of %i MiB of free disk, of which %i are kept, says %s", (free, reserve, level) => {
    assert.strictEqual(diskFinding("/data", free * mebibyte, reserve * mebibyte).level, level)
  })

  it("says what to do where too little of the disk is free for uploads", () => {
    const says = lineOf(diskFinding("/data", 500 * mebibyte, 1024 * mebibyte))
    assert.include(says, "500 MiB free for /data: uploads are refused below 1.0 GiB")
    assert.include(says, "Make room, or set a smaller DISK_RESERVE_MEGABYTES.")
  })

  it.each([
    [0, 0, "ok"],
    [1999, 0, "ok"],
    [2000, 0, "warn"],
    [-2000, 0, "warn"],
    [59_999, 0, "warn"],
    [60_000, 0, "fail"],
    [-70_000, 0, "fail"],
    [3000, 1500, "ok"]
  ])("of clocks that differ by %i ms, %i of them on the way, says %s", (difference, onItsWay, level) => {
    assert.strictEqual(clockFinding(difference, onItsWay).level, level)
  })

  it.each([
    [150_000, "UTF8", ["plpgsql", "pg_trgm"], "ok", "ok", "ok"],
    [149_999, "UTF8", ["pg_trgm"], "fail", "ok", "ok"],
    [180_004, "SQL_ASCII", ["pg_trgm"], "ok", "fail", "ok"],
    [180_004, "UTF8", ["plpgsql"], "ok", "ok", "fail"]
  ])("of PostgreSQL %i with %s and %o says", (version, encoding, extensions, ...levels) => {
    const findings = serverFindings({ version, name: "x", encoding, extensions })
    assert.deepStrictEqual(
      findings.map(({ level }): string => level),
      levels
    )
  })

  it("tells a schema that is behind from one that is ahead", () => {
    const current = { applied: ["a"], pending: [], unknown: [], foreign: undefined }
    const found = (state: Partial<MigrationState>) => {
      const { level, says } = schemaFinding({ ...current, ...state })
      return [level, says]
    }
    assert.deepStrictEqual(found({}), ["ok", "All 1 were run"])
    assert.deepStrictEqual(found({ applied: [], pending: ["a"] }), [
      "warn",
      "None was run: the database is new"
    ])
    assert.deepStrictEqual(found({ pending: ["b"] }), [
      "warn",
      "The database is of an older release: 1 are missing"
    ])
    assert.deepStrictEqual(found({ applied: ["a", "z"], unknown: ["z"] }), [
      "warn",
      "The database is of a newer release: it has z"
    ])
    assert.deepStrictEqual(found({ applied: ["b", "c"], foreign: "1_b" }), [
      "fail",
      "The database was made by an unreleased version (it has migration 1_b)"
    ])
  })

  it("says what the service has noted", () => {
    const levels = (administrators: number, parked: number, errors: number) =>
      notedFindings({ administrators, parked, errors }).map(({ level }) => level)
    assert.deepStrictEqual(levels(1, 0, 0), ["ok", "ok", "ok"])
    assert.deepStrictEqual(levels(0, 1, 1), ["warn", "warn", "warn"])
  })

  it("writes what it found in columns, and what to do below", () => {
    assert.strictEqual(lineOf(ok("disk", "fine")), "ok    disk         fine")
    assert.strictEqual(
      lineOf(warn("disk", "low", "Make room.")),
      `warn  disk         low\n${" ".repeat(19)}Make room.`
    )
  })
})

describe("forum migrate", () => {
  it.each([
    [["1"], [], [], "The database is up to date."],
    [[], ["1", "2"], [], "The database is up to date: 2 migrations were run (1 to 2)."],
    [["1", "3"], [], ["3"], "The database is of a newer release (it has 3): nothing was run."]
  ])("says what it did to a database with %j", (applied, pending, unknown, expected) => {
    assert.strictEqual(outcomeOf({ applied, pending, unknown, foreign: undefined }), expected)
  })
})
