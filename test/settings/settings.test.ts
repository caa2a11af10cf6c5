import { assert, describe, layer, it as plainly } from "@effect/vitest"
import { Effect, Exit, Layer, Schema } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { InstanceSettings } from "../../src/domain/settings/InstanceSettings.ts"
import {
  ModerationChanges,
  moderationDefaults,
  wordBounds
} from "../../src/domain/settings/ModerationSetting.ts"
import { ContentBlocked } from "../../src/domain/thread/Post.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { changeModeration } from "../support/settings.ts"
import { counting, statementsOf } from "../support/statements.ts"
import * as TestApp from "../support/TestApp.ts"

layer(People.layer)("the settings of moderation", (it) => {
  it.effect("are the defaults, and what administrators change, field by field", () =>
    Effect.gen(function* () {
      const { moderation } = yield* InstanceSettings
      assert.deepStrictEqual(yield* moderation, {
        thread_body_length_max: 60_000,
        reply_body_length_max: 10_000,
        signature_length_max: 500,
        word_block_list: [],
        word_report_list: []
      })
      yield* changeModeration({ reply_body_length_max: 500, word_block_list: ["a", "b"] })
      const changed = yield* changeModeration({ word_block_list: ["c"] })
      assert.deepStrictEqual(changed, {
        ...moderationDefaults,
        reply_body_length_max: 500,
        word_block_list: ["c"]
      })
      assert.deepStrictEqual(yield* moderation, changed)
      // Only what was changed is stored, so that other defaults may come.
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{
        readonly value: object
      }>`select value from settings where part = 'moderation'`
      assert.deepStrictEqual(row?.value, { reply_body_length_max: 500, word_block_list: ["c"] })
    })
  )

  it.effect("keep all changes that are made at once", () =>
    Effect.gen(function* () {
      yield* Effect.all(
        [
          changeModeration({ word_report_list: ["x"] }),
          changeModeration({ word_block_list: ["y"] }),
          changeModeration({ thread_body_length_max: 700 }),
          changeModeration({ reply_body_length_max: 70 })
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* changeModeration({}), {
        thread_body_length_max: 700,
        reply_body_length_max: 70,
        signature_length_max: 500,
        word_block_list: ["y"],
        word_report_list: ["x"]
      })
    })
  )

  it.effect("have bounds that hold in the database as well", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const save = (value: object) => sql`update settings set value = ${JSON.stringify(value)}::jsonb
        where part = 'moderation'`
      const { length, number } = wordBounds
      for (const name of ["word_block_list", "word_report_list"]) {
        yield* save({ [name]: Array(number).fill("\n".repeat(length)) })
        for (const words of [
          Array(number + 1).fill("x"),
          ["x".repeat(length + 1)],
          ["\n".repeat(length + 1)]
        ]) {
          const error = yield* Effect.flip(save({ [name]: words }))
          assert.strictEqual(error.reason._tag, "ConstraintError")
        }
      }
      yield* save({})
    })
  )
})

describe("a change of the settings", () => {
  const accepts = (changes: unknown) => Exit.isSuccess(Schema.decodeUnknownExit(ModerationChanges)(changes))

  plainly.each<readonly [object, boolean]>([
    [{}, true],
    [{ word_block_list: ["x".repeat(100)] }, true],
    [{ word_block_list: ["x".repeat(101)] }, false],
    [{ word_block_list: [" "] }, false],
    [{ word_block_list: null }, false],
    [{ word_report_list: Array(1_000).fill("x") }, true],
    [{ word_report_list: Array(1_001).fill("x") }, false],
    [{ thread_body_length_max: 1 }, true],
    [{ thread_body_length_max: 0 }, false],
    [{ thread_body_length_max: 524_288 }, true],
    [{ thread_body_length_max: 524_289 }, false],
    [{ reply_body_length_max: 131_072 }, true],
    [{ reply_body_length_max: 131_073 }, false],
    [{ reply_body_length_max: 1.5 }, false],
    [{ signature_length_max: 10_000 }, true],
    [{ signature_length_max: 10_001 }, false]
  ])("%# is accepted: %s", (changes, expected) => {
    assert.strictEqual(accepts(changes), expected)
  })
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a change of the settings", (it) => {
  it.effect("takes effect on other instances within a second", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      const thread = { title: "Soon", visibility: "published" }
      const there = Effect.provideService(odin.post("/threads", thread), HttpClient.HttpClient, elsewhere)
      ok(yield* there)
      yield* changeModeration({ word_block_list: ["soon"] })
      assertProblem(yield* odin.post("/threads", thread), ContentBlocked)
      yield* TestClock.adjust("1 second")
      assertProblem(yield* there, ContentBlocked)
    })
  )
})

layer(counting(People.layer))("the settings", (it) => {
  it.effect("are read once a second at most, however much is written", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const write = odin.post("/threads", { title: "Often", visibility: "published" })
      const readings = Effect.map(
        statementsOf(Effect.all([write, write, write])),
        ({ statements }) => statements.filter((text) => text.includes("from settings")).length
      )
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* readings, 1)
      assert.strictEqual(yield* readings, 0)
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(yield* readings, 0)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* readings, 1)
    })
  )
})
