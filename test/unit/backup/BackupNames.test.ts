import { assert, describe, it } from "@effect/vitest"
import {
  backupNamed,
  decideRemoved,
  dueAt,
  isLeftover,
  type NamedBackup,
  nameOf,
  newestOf,
  pauseAfter,
  seriesOf
} from "../../../src/layers/backup/BackupNames.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const at = Date.parse("2026-11-26T03:40:05Z")
const series = "forum.example"

/** The backup of some days ago. */
const ago = (days: number): NamedBackup => {
  const then = at - days * day
  return { name: nameOf(series, new Date(then)), at: then }
}

describe("the name of a backup", () => {
  it("has the address of the forum and when it was begun", () => {
    assert.strictEqual(nameOf(series, new Date(at + 999)), "forum.example-20261126T034005Z.tar.zst")
  })

  it.each([
    ["https://forum.example", "forum.example"],
    ["https://Forum.Example/", "forum.example"],
    ["http://localhost:8000", "localhost_8000"],
    ["https://example.com/a/b/", "example.com_a_b"],
    ["https://example.com/a-b", "example.com_a-b"],
    ["http://[::1]:8000", "1_8000"],
    ["https://example.com/../..%2f", "example.com_.._2f"],
    [`https://example.com/${"a".repeat(300)}`, `example.com_${"a".repeat(108)}`]
  ])("of %s begins with %s", (address, expected) => {
    assert.strictEqual(seriesOf(new URL(address)), expected)
  })

  it("is read as it was written", () => {
    const name = nameOf(series, new Date(at))
    assert.deepStrictEqual(backupNamed(series, name), { name, at })
  })

  it.each([
    "forum.example-20261126T034005Z.tar.zst.0123456789ab.unfinished",
    "forum.example-20261126T034005Z.tar",
    "forum.example-20261126T034005Z.tar.zst.tar.zst",
    "forum.example-20260230T034005Z.tar.zst",
    "forum.example-20261326T034005Z.tar.zst",
    "forum.example-20261126T244005Z.tar.zst",
    "forum.example-2026-11-26.tar.zst",
    "forum.example.tar.zst",
    "forum.example-copy-20261126T034005Z.tar.zst",
    "forum.example_a-20261126T034005Z.tar.zst",
    "other.example-20261126T034005Z.tar.zst",
    "20261126T034005Z.tar.zst",
    ".tar.zst",
    ""
  ])("is not %s, which somebody else made", (name) => {
    assert.isUndefined(backupNamed(series, name))
  })

  it("tells what a backup has left that was killed", () => {
    const name = nameOf(series, new Date(at))
    assert.isTrue(isLeftover(series, `${name}.0123456789ab.unfinished`))
    for (const other of [
      name,
      `${name}.unfinished`,
      `${name}.0123456789ab`,
      `${name}.0123456789AB.unfinished`,
      `other-20261126T034005Z.tar.zst.0123456789ab.unfinished`,
      "today.tar.zst.0123456789ab.unfinished"
    ])
      assert.isFalse(isLeftover(series, other), other)
  })
})

describe("the next backup", () => {
  it.each([
    ["at once, where there is none", undefined, at],
    ["when the newest is old enough", ago(0.5), at + 0.5 * day],
    ["at once, when that is over", ago(3), at]
  ] as const)("is due %s", (_, newest, expected) => {
    assert.strictEqual(dueAt(newest, day, at), expected)
  })

  it("is not held up by a backup of the future, but for what clocks may differ", () => {
    const soon = ago(-5 / 1440)
    assert.strictEqual(newestOf([ago(2), ago(-30), soon, ago(3)], at)?.name, soon.name)
    assert.strictEqual(newestOf([ago(2), ago(-1)], at)?.name, ago(2).name)
    assert.isUndefined(newestOf([], at))
  })

  it("is tried again after a pause that doubles, and is never longer than the interval or six hours", () => {
    const pauses = [1, 2, 3, 6, 7, 8, 1000].map((failures) => pauseAfter(failures, 30 * day) / minute)
    assert.deepStrictEqual(pauses, [5, 10, 20, 160, 320, 360, 360])
    assert.strictEqual(pauseAfter(5, hour), hour)
  })
})

describe("what goes when a backup was made", () => {
  const whole = (days: number) => ({ ...ago(days), isWhole: true })
  const cut = (days: number) => ({ ...ago(days), isWhole: false })
  // Its name has no milliseconds.
  const made = { ...ago(0), at: at + 123 }

  it.each([
    ["nothing, where there are few", [whole(0), whole(1), whole(2)], 3, []],
    ["the oldest", [whole(3), whole(0), whole(2), whole(1), whole(4)], 3, [3, 4]],
    ["all but the new one", [whole(0), whole(1), whole(2)], 1, [1, 2]],
    ["nothing instead of one that is cut off", [whole(0), cut(1), whole(2), whole(3)], 3, []],
    ["what is cut off and older than those that stay", [whole(0), whole(1), cut(2), whole(3)], 2, [2, 3]],
    ["nothing that is newer", [whole(-2), whole(-1), whole(0), whole(1)], 2, []],
    ["only what is older", [whole(-1), whole(0), whole(1), whole(2)], 1, [1, 2]]
  ] as const)("is %s", (_, others, keep, days) => {
    assert.deepStrictEqual(
      decideRemoved(made, others, keep),
      days.map((n) => ago(n).name)
    )
  })
})
