/** Erasures that fail or end half-way, and that several instances do. */
import { assert, layer, it as plain } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { decideStage } from "../../src/domain/erasure/ErasureRules.ts"
import { ErasureStore } from "../../src/domain/erasure/ErasureStore.ts"
import { type Remains, RemainsStore } from "../../src/domain/erasure/RemainsStore.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { fifty } from "../support/fifty.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, password, signUp } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { columnsWith, goOn, order, ownPath, untilErased } from "./support.ts"

/** The names of steps that still fail once. */
const failing: Array<string> = []

const unreliable = People.withCast(
  TestApp.layerWhere(
    {},
    TestApp.storesBut(RemainsStore, (usual) => ({
      ...usual,
      sweeps: usual.sweeps.map(({ name, step }) => ({
        name,
        step: (remains: Remains) =>
          Effect.suspend(() => {
            if (failing[0] !== name) return step(remains)
            failing.shift()
            // Half of it was done.
            return Effect.andThen(step(remains), Effect.die(new Error(`interrupted at ${name}`)))
          })
      }))
    }))
  )
)

layer(unreliable)("an erasure that is interrupted", (it) => {
  it.effect("is gone on with, wherever it ended", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const { sweeps } = yield* RemainsStore
      const ran = yield* signUp("ran")
      const thread = yield* open(loki, "Sea")
      yield* reply(ran, thread.id, "<p>waves</p>")
      ok(yield* ran.put(`/likes/posts/${thread.id}`))
      yield* drainEvents
      failing.push(...sweeps.map(({ name }) => name).filter((_, index) => index % 7 === 3))
      const attempts = failing.length
      assert.isAbove(attempts, 5)
      yield* order(odin, ran, true)
      const sql = yield* SqlClient.SqlClient
      let failed = 0
      for (let turns = 0; failing.length > 0 && turns < 100; turns++) {
        // As if the lease of who was interrupted had ended.
        yield* sql`update erasures set next_at = 'epoch'`
        yield* sql`delete from purges`
        if (Exit.isFailure(yield* Effect.exit(goOn))) failed += 1
      }
      assert.strictEqual(failed, attempts)
      yield* sql`update erasures set next_at = 'epoch'`
      assert.deepStrictEqual(yield* untilErased, [])
      assert.deepStrictEqual(yield* columnsWith(ran.id), [])
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("erasures on several instances", (it) => {
  it.effect("are done by one at a time, and told of once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const people = [yield* signUp("first"), yield* signUp("second"), yield* signUp("third")]
      for (const person of people) yield* order(odin, person, false)
      for (let minutes = 0; minutes < 10; minutes++) {
        yield* Effect.all([goOn, goOn, goOn], { concurrency: "unbounded" })
        yield* TestClock.adjust("1 minute")
        yield* SqlClient.SqlClient.use((sql) => sql`delete from purges`)
      }
      for (const { id } of people) assert.deepStrictEqual(yield* columnsWith(id), [])
      const { events } = ok(yield* odin.get("/admin/audit-events?types=account_erased"))
      assert.strictEqual(events.length, 3)
    })
  )

  it.effect("belong to whoever took them last", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const store = yield* ErasureStore
      const accountId = AccountId.make(loki.id)
      const at = (minutes: number) => DateTime.makeUnsafe(minutes * 60_000)
      yield* store.request({ accountId, at: at(0), dueAt: at(10), keepPosts: true })
      assert.isTrue(Option.isNone(yield* store.take(at(9), at(14))))
      const first = Option.getOrThrow(yield* store.take(at(10), at(15)))
      assert.isTrue(Option.isNone(yield* store.take(at(14), at(19))))
      const second = Option.getOrThrow(yield* store.take(at(15), at(20)))
      assert.isFalse(yield* store.keep(first, at(90)))
      assert.isFalse(yield* store.begin(first, at(15)))
      assert.isFalse(yield* store.finish(first))
      yield* store.release(first, at(90))
      assert.isTrue(yield* store.keep(second, at(20)))
      assert.isTrue(yield* store.begin(second, at(15)))
      assert.isFalse(yield* store.begin(second, at(16)))
      assert.isFalse(yield* store.cancel(accountId))
      assert.isTrue(yield* store.finish(second))
    })
  )

  it.effect("are asked for once, by fifty requests at the same time, or taken back", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const answers = yield* fifty(() => freya.post(ownPath, { keep_posts: true, password }))
      for (const { status } of answers) assert.include([200, 503], status)
      assert.strictEqual((yield* SqlClient.SqlClient.use((sql) => sql`select from erasures`)).length, 1)
      const statuses = (yield* fifty(() => freya.delete(ownPath))).map(({ status }) => status)
      assert.strictEqual(statuses.filter((status) => status === 204).length, 1)
    })
  )

  it.effect("change of the audit log only what names the account", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      ok(yield* odin.post(`/admin/bans/tyr`))
      const forget = sql`update audit_events set subject = without_account(subject, ${tyr.id})
        where subject ->> 'account_id' = ${tyr.id}`
      assert.strictEqual((yield* Effect.flip(forget)).reason._tag, "ConstraintError")
      yield* sql`insert into erasures (account_id, requested_at, due_at, keep_posts, begun_at, next_at)
        values (${tyr.id}, 'epoch', 'epoch', true, 'epoch', '9999-01-01')`
      for (const change of [
        sql`update audit_events set subject = '{}'`,
        sql`update audit_events set type = 'thread_deleted'`,
        sql`update audit_events set enacted_by = ${tyr.id}`,
        sql`delete from audit_events`
      ]) {
        assert.strictEqual((yield* Effect.flip(change)).reason._tag, "ConstraintError")
      }
      yield* forget
      yield* sql`delete from erasures`
    })
  )
})

plain.each([
  [{ hasBegun: false, isThere: true, isPurging: false }, "begin"],
  [{ hasBegun: false, isThere: false, isPurging: false }, "begin"],
  [{ hasBegun: true, isThere: true, isPurging: true }, "wait"],
  [{ hasBegun: true, isThere: true, isPurging: false }, "erase"],
  [{ hasBegun: true, isThere: false, isPurging: false }, "end"],
  [{ hasBegun: true, isThere: false, isPurging: true }, "end"]
] as const)("after %j comes %s", (progress, stage) => {
  assert.strictEqual(decideStage(progress), stage)
})
