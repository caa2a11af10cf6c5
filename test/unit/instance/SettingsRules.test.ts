import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Timestamp } from "../../../src/domain/field/Resource.ts"
import { limits, mergedGeneral, mergedMetadata } from "../../../src/domain/instance/SettingsRules.ts"
import { MessagePeriodInvalid, SettingsTooLarge } from "../../../src/domain/settings/GeneralSetting.ts"
import { RichText } from "../../../src/domain/text/RichText.ts"

const noTexts = { content: undefined, motd: undefined }
const text = RichText.make("<body>New</body>")
const first = Timestamp.make("2026-11-21T00:00:00.000Z")
const second = Timestamp.make("2026-11-22T00:00:00.000Z")

describe("metadata", () => {
  it.each([
    [undefined, { a: 1 }, { a: 1 }],
    [{ a: 1, b: { c: 2, d: 3 } }, { b: { c: 4 } }, { a: 1, b: { c: 4 } }],
    [{ a: 1 }, {}, {}]
  ] as const)("%j and %j make %j", (stored, changes, expected) => {
    assert.deepStrictEqual(mergedMetadata(stored, changes), expected)
  })
})

describe("the general settings", () => {
  it("keep what a change leaves out", () => {
    const stored = {
      title: "Old",
      description: "Kept",
      metadata: { a: 1 },
      motd: { content: "<body></body>" }
    }
    assert.deepStrictEqual(
      mergedGeneral(stored, { title: "New", services: {} }, { ...noTexts, content: text }),
      Result.succeed({ ...stored, title: "New", content: text })
    )
  })

  it("merge the message of the day, and take it down by one without fields", () => {
    const motd = { content: "<body>Old</body>", start_at: first, metadata: { a: 1 } }
    const merged = (changes: Parameters<typeof mergedGeneral>[1]) =>
      mergedGeneral({ motd }, changes, {
        content: undefined,
        motd: changes.motd?.content === undefined ? undefined : text
      })
    assert.deepStrictEqual(
      merged({ motd: { end_at: second, metadata: { b: 2 } } }),
      Result.succeed({ motd: { ...motd, end_at: second, metadata: { a: 1, b: 2 } } })
    )
    assert.deepStrictEqual(
      merged({ motd: { content: "New", metadata: {} } }),
      Result.succeed({ motd: { ...motd, content: text, metadata: {} } })
    )
    assert.deepStrictEqual(merged({ motd: {} }), Result.succeed({}))
    assert.deepStrictEqual(merged({ title: "T" }), Result.succeed({ motd, title: "T" }))
  })

  it("have a message with an empty text if only its time is given", () => {
    assert.deepStrictEqual(
      mergedGeneral({}, { motd: { start_at: first } }, noTexts),
      Result.succeed({ motd: { start_at: first, content: "<body></body>" } })
    )
  })

  it("refuse a message that ends before it starts, also by merging", () => {
    const refused = Result.fail(new MessagePeriodInvalid({ metadata: { start_at: second, end_at: first } }))
    const stored = { motd: { content: "<body></body>", start_at: second } }
    assert.deepStrictEqual(mergedGeneral(stored, { motd: { end_at: first } }, noTexts), refused)
    assert.isTrue(Result.isSuccess(mergedGeneral(stored, { motd: { end_at: second } }, noTexts)))
  })

  it.each([
    ["metadata", { metadata: { a: "x".repeat(limits.metadata - 8) } }, { metadata: { b: 1 } }, noTexts],
    [
      "motd.metadata",
      { motd: { content: "", metadata: { a: "x".repeat(limits.metadata - 8) } } },
      { motd: { metadata: { b: 1 } } },
      noTexts
    ],
    [
      "content",
      {},
      { content: "" },
      { ...noTexts, content: RichText.make(`<body>${"x".repeat(limits.markup)}</body>`) }
    ]
  ] as const)("have room for so much %s only", (field, stored, changes, texts) => {
    const merged = mergedGeneral(stored, changes, texts)
    assert.isTrue(Result.isFailure(merged))
    if (Result.isFailure(merged)) {
      assert.instanceOf(merged.failure, SettingsTooLarge)
      assert.strictEqual("field" in merged.failure.metadata && merged.failure.metadata.field, field)
    }
  })
})
