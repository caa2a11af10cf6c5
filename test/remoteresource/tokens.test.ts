/** Keeping the tokens of connections fresh, for programs of the service. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RemoteConnectionStore } from "../../src/domain/remoteresource/RemoteConnectionStore.ts"
import { RemoteTokens } from "../../src/domain/remoteresource/RemoteTokens.ts"
import { RemoteConnectionId } from "../../src/domain/shared/Id.ts"
import { SecretBox } from "../../src/domain/storage/SecretBox.ts"
import { ok } from "../support/answers.ts"
import * as Logs from "../support/logs.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, nobody } from "../support/people.ts"
import { type Manner, makeRemote } from "../support/remote.ts"
import * as TestApp from "../support/TestApp.ts"
import { authorise, comeBack, connected, connections, gate, passUntilDone, pending } from "./support.ts"

const remote = makeRemote("archive")

/** A connection of Odin with a token of an hour, and its id. */
const fresh = Effect.fnUntraced(function* (how: Manner = {}) {
  const { odin } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from remote_connections`
  const connection = yield* connected(odin, remote, how)
  remote.asked.grants.length = 0
  return { odin, id: RemoteConnectionId.make(connection.id), connection }
})

const tokenOf = Effect.fnUntraced(function* (id: RemoteConnectionId) {
  const { getFresh } = yield* RemoteTokens
  const { accessToken, tokenType } = yield* getFresh(id)
  return { token: Redacted.value(accessToken), tokenType }
})

const refusalOf = (id: RemoteConnectionId) =>
  Effect.map(Effect.flip(Effect.flatMap(RemoteTokens, ({ getFresh }) => getFresh(id))), (error) =>
    error._tag === "RemoteTokenUnavailable" ? error.reason : assert.fail(error._tag)
  )

const shown = Effect.gen(function* () {
  const { odin } = yield* Cast
  return ok(yield* odin.get(connections)).connections[0]
})

/** What is logged meanwhile. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(Effect.andThen(effect, Logs.Logs), Logs.layer)

/** Another instance over the same database. */
const anotherInstance = Effect.gen(function* () {
  const context = yield* Layer.build(
    Layer.fresh(RemoteTokens.layer).pipe(
      Layer.provide(
        Layer.mergeAll(NodeCrypto.layer, Pages.layer, Layer.succeed(SecretBox, TestApp.secretBox))
      )
    )
  )
  return <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, context)
})

layer(People.layer)("a token", (it) => {
  it.effect("is refreshed within five minutes before it expires", () =>
    Effect.gen(function* () {
      const { id } = yield* fresh()
      const first = yield* tokenOf(id)
      assert.strictEqual(first.tokenType, "Bearer")
      yield* TestClock.adjust("3299 seconds")
      assert.deepStrictEqual(yield* tokenOf(id), first)
      assert.deepStrictEqual(remote.asked.grants, [])
      const before = yield* shown
      yield* TestClock.adjust("1 second")
      const second = yield* tokenOf(id)
      assert.notStrictEqual(second.token, first.token)
      assert.deepStrictEqual(yield* tokenOf(id), second)
      assert.deepStrictEqual(remote.asked.grants, ["refresh_token"])
      const after = yield* shown
      assert.strictEqual(Date.parse(after.token_expiry) - Date.parse(before.token_expiry), 3_300_000)
      assert.deepStrictEqual(after, {
        ...before,
        token_expiry: after.token_expiry,
        updatedAt: after.updatedAt
      })
      assert.strictEqual(after.updatedAt, new Date(Date.parse(after.token_expiry) - 3_600_000).toISOString())
    })
  )

  it.effect("without an expiry is always fresh, and one that cannot be refreshed is used to its end", () =>
    Effect.gen(function* () {
      const unlimited = yield* fresh({ gives: { expires_in: undefined } })
      yield* TestClock.adjust("30 days")
      yield* tokenOf(unlimited.id)
      const { id } = yield* fresh({ gives: { refresh_token: undefined } })
      yield* TestClock.adjust("3599 seconds")
      yield* tokenOf(id)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* refusalOf(id), "expired")
      assert.deepStrictEqual(remote.asked.grants, [])
    })
  )

  it.effect("is there once somebody has approved", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* fresh()
      const { id } = yield* pending(odin, makeRemote("library"))
      assert.strictEqual(yield* refusalOf(RemoteConnectionId.make(id)), "missing")
      assert.strictEqual(yield* refusalOf(RemoteConnectionId.make(nobody)), "unknown")
    })
  )

  it.effect("is refreshed with what the server gave last, and keeps what it leaves out", () =>
    Effect.gen(function* () {
      const { id } = yield* fresh({ gives: { scope: "read write" } })
      yield* TestClock.adjust("1 hour")
      yield* tokenOf(id)
      yield* TestClock.adjust("1 hour")
      // The strict server takes each token to refresh once.
      yield* remote.behave({ gives: { refresh_token: undefined, scope: undefined } })
      yield* tokenOf(id)
      const kept = yield* shown
      assert.deepStrictEqual([kept.has_refresh_token, kept.scope], [true, "read write"])
      yield* TestClock.adjust("1 hour")
      yield* remote.behave({
        answers: { status: 200, body: { access_token: "x", token_type: "mac", scope: "read" } }
      })
      assert.deepStrictEqual(yield* tokenOf(id), { token: "x", tokenType: "mac" })
      const { scope, token_expiry } = yield* shown
      assert.deepStrictEqual([scope, token_expiry], ["read", undefined])
    })
  )

  it.effect("that lives for less than five minutes is refreshed once for each who needs it", () =>
    Effect.gen(function* () {
      const { id } = yield* fresh({ gives: { expires_in: 60 } })
      yield* tokenOf(id)
      assert.deepStrictEqual(remote.asked.grants, ["refresh_token"])
      yield* remote.behave({ gives: { expires_in: 0 } })
      assert.strictEqual(yield* refusalOf(id), "expired")
      assert.deepStrictEqual(remote.asked.grants, ["refresh_token", "refresh_token"])
    })
  )
})

layer(People.layer)("a token that cannot be refreshed", (it) => {
  it.effect("is used while it is valid, and says why without what the server said", () =>
    Effect.gen(function* () {
      const { id, odin } = yield* fresh()
      const first = yield* tokenOf(id)
      yield* TestClock.adjust("3500 seconds")
      yield* remote.behave({ answers: { status: 400, body: { error: "invalid_grant", hush: "hush" } } })
      const lines = yield* logged(Effect.andThen(tokenOf(id), tokenOf(id)))
      assert.deepStrictEqual(yield* tokenOf(id), first)
      const text = JSON.stringify(lines)
      assert.include(text, "A remote token could not be refreshed")
      assert.notInclude(text, "hush")
      assert.notInclude(text, first.token)
      const failed = yield* shown
      assert.deepStrictEqual(
        [failed.status, failed.last_error, failed.has_access_token, failed.has_refresh_token],
        ["error", "The server refused: invalid_grant", true, true]
      )
      // Nobody asks again for half a minute.
      assert.deepStrictEqual(remote.asked.grants, ["refresh_token"])
      yield* TestClock.adjust("29 seconds")
      yield* tokenOf(id)
      assert.deepStrictEqual(remote.asked.grants, ["refresh_token"])
      yield* TestClock.adjust("1 second")
      yield* tokenOf(id)
      assert.deepStrictEqual(remote.asked.grants, ["refresh_token", "refresh_token"])
      yield* TestClock.adjust("70 seconds")
      assert.strictEqual(yield* refusalOf(id), "expired")
      // Another approval makes it good.
      yield* remote.behave({})
      ok(yield* comeBack(odin, remote.approve(yield* authorise(odin, id))))
      const good = yield* shown
      assert.deepStrictEqual([good.status, good.last_error], ["connected", undefined])
      yield* tokenOf(id)
    })
  )

  it.effect("is refreshed again when the server has come back", () =>
    Effect.gen(function* () {
      const { id } = yield* fresh()
      yield* TestClock.adjust("1 hour")
      yield* remote.behave({ answers: { status: 503, body: {} } })
      assert.strictEqual(yield* refusalOf(id), "expired")
      yield* remote.behave({})
      assert.strictEqual(yield* refusalOf(id), "expired")
      yield* TestClock.adjust("30 seconds")
      yield* tokenOf(id)
      const { last_error, status } = yield* shown
      assert.deepStrictEqual([status, last_error], ["connected", undefined])
    })
  )
})

layer(People.layer)("fifty programs on two instances", (it) => {
  it.effect("refresh a token once, and all get the new one", () =>
    Effect.gen(function* () {
      const { id } = yield* fresh()
      const first = yield* tokenOf(id)
      const elsewhere = yield* anotherInstance
      yield* TestClock.adjust("1 hour")
      const { answer, before, isAsked } = yield* gate
      yield* remote.behave({ before: Effect.asVoid(before) })
      const all = yield* Effect.forEach(
        Array(50).keys(),
        (n) => (n % 2 === 0 ? tokenOf(id) : elsewhere(tokenOf(id))),
        { concurrency: "unbounded" }
      ).pipe(Effect.forkChild)
      yield* isAsked
      yield* TestClock.adjust("1 second")
      yield* answer
      const tokens = yield* passUntilDone(all)
      assert.lengthOf(new Set(tokens.map(({ token }) => token)), 1)
      assert.notStrictEqual(tokens[0]?.token, first.token)
      assert.deepStrictEqual(remote.asked.grants, ["refresh_token"])
    })
  )

  it.effect("are told of one failure once", () =>
    Effect.gen(function* () {
      const { id } = yield* fresh()
      const elsewhere = yield* anotherInstance
      yield* TestClock.adjust("1 hour")
      const { answer, before, isAsked } = yield* gate
      yield* remote.behave({ before: Effect.asVoid(before), answers: { status: 400, body: {} } })
      const all = yield* Effect.forEach(
        Array(50).keys(),
        (n) => (n % 2 === 0 ? refusalOf(id) : elsewhere(refusalOf(id))),
        { concurrency: "unbounded" }
      ).pipe(Effect.forkChild)
      yield* isAsked
      yield* answer
      assert.deepStrictEqual([...new Set(yield* passUntilDone(all))], ["expired"])
      assert.deepStrictEqual(remote.asked.grants, ["refresh_token"])
    })
  )

  it.effect("wait for five seconds, and use a token that is still valid", () =>
    Effect.gen(function* () {
      for (const [seconds, valid] of [
        [3400, true],
        [3600, false]
      ] as const) {
        const { id } = yield* fresh()
        const first = yield* tokenOf(id)
        yield* TestClock.adjust(`${seconds} seconds`)
        const { answer, before, isAsked } = yield* gate
        yield* remote.behave({ before: Effect.asVoid(before) })
        const refreshing = yield* Effect.forkChild(tokenOf(id))
        yield* isAsked
        const began = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        const waiting = yield* Effect.forkChild(
          valid ? Effect.map(tokenOf(id), ({ token }) => token) : refusalOf(id)
        )
        assert.strictEqual(yield* passUntilDone(waiting), valid ? first.token : "busy")
        const waited = (yield* Effect.clockWith((clock) => clock.currentTimeMillis)) - began
        assert.isAtLeast(waited, 5000)
        // The lease of who refreshes has not ended.
        assert.isBelow(waited, 30_000)
        yield* answer
        assert.notStrictEqual((yield* Fiber.join(refreshing)).token, first.token)
      }
    })
  )

  it.effect("go on after half a minute where one has begun to refresh and was never heard of again", () =>
    Effect.gen(function* () {
      // What the first one brings at last is not kept, and not noted either: its lease was lost.
      for (const answers of [
        { status: 200, body: { access_token: "too-late", token_type: "Bearer" } },
        { status: 400, body: {} }
      ]) {
        const { id } = yield* fresh()
        yield* TestClock.adjust("1 hour")
        const lost = yield* gate
        yield* remote.behave({ before: Effect.asVoid(lost.before) })
        const late = yield* Effect.forkChild(tokenOf(id))
        yield* lost.isAsked
        yield* TestClock.adjust("29 seconds")
        yield* remote.behave({})
        const { token } = yield* passUntilDone(yield* Effect.forkChild(tokenOf(id)))
        const before = yield* shown
        yield* remote.behave({ answers })
        yield* lost.answer
        yield* Fiber.join(late)
        assert.strictEqual((yield* tokenOf(id)).token, token)
        assert.deepStrictEqual(yield* shown, before)
      }
    })
  )

  it.effect(
    "begin with the tokens as they are: none refreshes those that another one has just refreshed",
    () =>
      Effect.gen(function* () {
        const { id } = yield* fresh()
        const store = yield* RemoteConnectionStore
        const { revision } = Option.getOrThrow(yield* store.find(id))
        yield* TestClock.adjust("1 hour")
        yield* tokenOf(id)
        const now = yield* DateTime.now
        const lease = { holder: "h".repeat(43), until: DateTime.add(now, { seconds: 30 }) }
        assert.isFalse(yield* store.takeLease(id, revision, lease, now))
        assert.isTrue(yield* store.takeLease(id, revision + 1, lease, now))
      })
  )

  it.effect("lose nothing where who has begun to refresh gives up", () =>
    Effect.gen(function* () {
      const { id } = yield* fresh()
      yield* TestClock.adjust("1 hour")
      const { answer, before, isAsked } = yield* gate
      yield* remote.behave({ before: Effect.asVoid(before) })
      const impatient = yield* Effect.forkChild(tokenOf(id))
      yield* isAsked
      yield* Fiber.interrupt(impatient)
      yield* answer
      const waiting = yield* Effect.forkChild(tokenOf(id))
      yield* passUntilDone(waiting)
      assert.deepStrictEqual(remote.asked.grants, ["refresh_token"])
    })
  )
})
