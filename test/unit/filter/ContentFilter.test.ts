import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inspect, rulesOf } from "../../../src/domain/filter/ContentFilter.ts"
import { isRepetitive, shortestRepetitive } from "../../../src/domain/filter/Repetition.ts"
import { moderationDefaults } from "../../../src/domain/settings/ModerationSetting.ts"
import { RichText } from "../../../src/domain/text/RichText.ts"
import { withTurns } from "../../support/turns.ts"

const rules = Effect.runSync(
  rulesOf({
    ...moderationDefaults,
    word_block_list: ["forbidden", "bad words"],
    word_report_list: ["suspicious", "forbidden fruit"]
  })
)

const body = (html: string) => RichText.make(`<body>${html}</body>`)

const verdict = (title: string | undefined, html: string | undefined, applied = rules) =>
  Effect.map(
    inspect(applied, { title, body: html === undefined ? undefined : body(html) }),
    (found): object => found
  )

const passed = { _tag: "Passed" }
const held = (word: string) => ({ _tag: "Held", reason: "word", word })
const blocked = (field: string) => ({ _tag: "Blocked", field })

describe("the verdict on a text", () => {
  it.effect.each<readonly [string | undefined, string | undefined, object]>([
    [undefined, undefined, passed],
    ["fine", "<p>fine</p>", passed],
    ["Forbidden", "<p>fine</p>", blocked("title")],
    ["fine", "<p>FORBIDDEN</p>", blocked("body")],
    ["forbidden", "<p>forbidden</p>", blocked("title")],
    ["suspicious", "<p>fine</p>", held("suspicious")],
    ["suspicious", "<p>forbidden</p>", blocked("body")],
    ["fine", "<p>suspicious</p>", held("suspicious")],
    ["fine", "<p>suspicious and forbidden</p>", blocked("body")],
    ["fine", "<p>forbidden fruit</p>", blocked("body")],
    // What people see: words go on within a line, and end with it; markup and addresses are not text.
    ["fine", "<p>for<b>bid</b>den</p>", blocked("body")],
    ["fine", "<p>for</p><p>bidden</p>", passed],
    ["fine", "<p>bad</p><p>words</p>", blocked("body")],
    ["fine", '<p title="forbidden"><a href="https://forbidden.test/">x</a></p>', passed],
    ["fine", "<p>a &amp; b</p>", passed],
    // A title and a text are two texts.
    ["bad", "<p>words</p>", passed],
    [undefined, "<p>suspicious</p>", held("suspicious")],
    ["suspicious", undefined, held("suspicious")]
  ])("%j with %j is %j", ([title, html, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* verdict(title, html), expected)
    })
  )

  it.effect("is that it repeats itself, unless a word weighs more", () =>
    Effect.gen(function* () {
      const [same, none] = ["buy this ".repeat(20_000), yield* rulesOf(moderationDefaults)]
      const repetition = { _tag: "Held", reason: "repetition" }
      assert.deepStrictEqual(yield* verdict("fine", same, none), repetition)
      assert.deepStrictEqual(yield* verdict("fine", same), repetition)
      assert.deepStrictEqual(yield* verdict("suspicious", same), held("suspicious"))
      assert.deepStrictEqual(yield* verdict("forbidden", same), blocked("title"))
      assert.deepStrictEqual(yield* verdict("fine", `${same} forbidden`), blocked("body"))
    })
  )

  it.effect("lets others run while a long text is searched", () =>
    Effect.gen(function* () {
      const text = "abcdefgh ".repeat(70_000)
      const { made, turns } = yield* withTurns(verdict(undefined, `${text} forbidden`))
      assert.deepStrictEqual(made, blocked("body"))
      assert.isAtLeast(turns, 10)
    })
  )
})

describe("a repetitive text", () => {
  it.each<readonly [string, string, boolean]>([
    ["one letter", "a".repeat(60_000), true],
    ["one letter, as short as can be", "a".repeat(shortestRepetitive + 3_400), true],
    ["one letter, too short", "a".repeat(shortestRepetitive - 1), false],
    ["a sentence", "Buy our pills today! ".repeat(10_000), true],
    ["a sentence with an end", `${"Buy our pills today! ".repeat(10_000)}Or tomorrow.`, true],
    ["a long reply of one letter", "a".repeat(10_000), false],
    ["numbers", Array.from({ length: 30_000 }, (_, n) => n).join(" "), false],
    ["a table", Array.from({ length: 3_000 }, (_, n) => `| ${n} | yes | no |`).join("\n"), false],
    ["nothing", "", false]
  ])("%s", (_, text, expected) => {
    assert.strictEqual(isRepetitive(text), expected)
  })
})
