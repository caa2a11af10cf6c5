/** Own data of which making ended half-way, or that two make; and archives in a bucket. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Option, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AssetBytes } from "../../src/domain/asset/AssetBytes.ts"
import { AssetStore } from "../../src/domain/asset/AssetStore.ts"
import { Assets } from "../../src/domain/asset/Assets.ts"
import { EventLog } from "../../src/domain/event/EventLog.ts"
import { OwnDataNotReady } from "../../src/domain/owndata/OwnData.ts"
import { OwnDataArchives } from "../../src/domain/owndata/OwnDataArchives.ts"
import { OwnDataMaking } from "../../src/domain/owndata/OwnDataMaking.ts"
import { OwnDataStore } from "../../src/domain/owndata/OwnDataStore.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { ok } from "../support/answers.ts"
import { Fake, inBucket } from "../support/bucketApp.ts"
import { download } from "../support/files.ts"
import * as People from "../support/people.ts"
import { type Person, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { inTime } from "../support/waiting.ts"
import { archive, collect, filesOfZip, ownDataOf, path } from "./support.ts"

const rowOf = Effect.fnUntraced(function* ({ id }: Person) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly key: string | null; readonly turn: number }>`
    select key, turn from own_data_exports where account_id = ${id}`
  return row
})

const noted = SqlClient.SqlClient.use((sql) => sql<{ readonly id: string }>`select id from asset_uploads`)

/** Takes what is due, as another process does. */
const take = Effect.gen(function* () {
  const [store, now] = [yield* OwnDataStore, yield* DateTime.now]
  return Option.getOrThrow(yield* store.take(now, DateTime.add(now, { minutes: 3 })))
})

const isStored = (key: string) =>
  AssetBytes.use((bytes) => Effect.scoped(Effect.map(bytes.open({ store: "disk", key }), Option.isSome)))

/** The worker of another instance, over the same database. */
const anotherInstance = OwnDataMaking.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto))

const clean = Assets.use((assets) => assets.clean)

layer(People.layer)("own data of which making ended half-way", (it) => {
  it.effect("is made anew three minutes later, and what the killed process has stored goes", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      ok(yield* vali.post(path, {}))
      yield* take
      // It was killed before it could say where the archive is.
      const [bytes, assets, key] = [yield* AssetBytes, yield* AssetStore, "half-an-archive"]
      yield* assets.noteUploads([{ store: "disk", key }], yield* DateTime.now)
      const half = bytes.receive(Stream.make(Buffer.from("PK")))
      yield* Effect.scoped(Effect.flatMap(half, ({ keep }) => keep(key)))
      yield* TestClock.adjust("179 seconds")
      yield* collect
      assert.strictEqual(ok(yield* vali.get(path)).state, "waiting")
      assertProblem(yield* vali.get(archive), OwnDataNotReady)
      yield* TestClock.adjust("1 second")
      yield* collect
      assert.strictEqual(ok(yield* vali.get(path)).state, "ready")
      const files = yield* filesOfZip((yield* download(`/api${archive}`, vali.headers)).bytes)
      assert.isTrue(files.has("contents.json"))
      const made = yield* rowOf(vali)
      assert.strictEqual(made?.turn, 2)
      yield* TestClock.adjust("3 hours")
      yield* clean
      assert.deepStrictEqual(
        [yield* isStored(key), yield* isStored(String(made?.key)), yield* noted],
        [false, true, []]
      )
    })
  )

  it.effect("is not stored by a process that another has taken it from, and leaves nothing of that", () =>
    Effect.gen(function* () {
      const hel = yield* signUp("hel")
      ok(yield* hel.post(path, {}))
      const archives = yield* OwnDataArchives
      const store = yield* OwnDataStore
      const now = yield* DateTime.now
      const lease = DateTime.add(now, { minutes: 3 })
      // It stood still for more than three minutes while it read.
      const takenMeanwhile = store.take(lease, DateTime.add(lease, { minutes: 3 }))
      const slow = Layer.succeed(OwnDataArchives, {
        read: (account) =>
          Stream.concat(archives.read(account), Stream.drain(Stream.fromEffect(takenMeanwhile)))
      })
      yield* Effect.provide(collect, Layer.provide(anotherInstance, slow), { local: true })
      assert.deepStrictEqual(yield* rowOf(hel), { key: null, turn: 2 })
      assert.strictEqual(ok(yield* hel.get(path)).state, "waiting")
      assert.lengthOf(yield* noted, 1)
      yield* TestClock.adjust("6 minutes")
      yield* collect
      const made = yield* rowOf(hel)
      assert.strictEqual(made?.turn, 3)
      yield* TestClock.adjust("3 hours")
      yield* clean
      assert.deepStrictEqual([yield* isStored(String(made?.key)), yield* noted], [true, []])
    })
  )

  it.effect("stays with a process that takes long, and is nobody's any more once it is made", () =>
    Effect.gen(function* () {
      const bragi = yield* signUp("bragi")
      ok(yield* bragi.post(path, {}))
      const [archives, store, now] = [yield* OwnDataArchives, yield* OwnDataStore, yield* DateTime.now]
      const sql = yield* SqlClient.SqlClient
      const minutesLeft = Effect.map(
        sql<{ readonly next_at: Date }>`select next_at from own_data_exports where account_id = ${bragi.id}`,
        ([row]) => (Number(row?.next_at) - DateTime.toEpochMillis(now)) / 60_000
      )
      // A minute later it says that it goes on; that ends only when it has.
      const reading = Effect.andThen(
        TestClock.adjust("1 minute"),
        Effect.repeat(minutesLeft, { until: (minutes) => minutes === 4 })
      )
      const slow = Layer.succeed(OwnDataArchives, {
        read: (account) =>
          Stream.concat(archives.read(account), Stream.drain(Stream.fromEffect(Effect.orDie(reading))))
      })
      yield* Effect.provide(collect, Layer.provide(anotherInstance, slow), { local: true })
      assert.strictEqual(ok(yield* bragi.get(path)).state, "ready")
      const taken = { accountId: AccountId.make(bragi.id), tries: 1, turn: 1 }
      assert.isFalse(yield* store.keep(taken, now))
      yield* store.giveUp(taken, now)
      assert.strictEqual(ok(yield* bragi.get(path)).state, "ready")
    })
  )

  it.effect("is begun anew at once where a process stopped meanwhile, which is no try that failed", () =>
    Effect.gen(function* () {
      const mimir = yield* signUp("mimir")
      ok(yield* mimir.post(path, {}))
      const archives = yield* OwnDataArchives
      // More often than it would be tried.
      for (let stops = 0; stops < 6; stops++) {
        const begun = yield* Deferred.make<void>()
        const stuck = Layer.succeed(OwnDataArchives, {
          read: (account) =>
            Stream.concat(
              archives.read(account),
              Stream.drain(
                Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
              )
            )
        })
        const making = yield* Effect.forkChild(
          Effect.provide(collect, Layer.provide(anotherInstance, stuck), { local: true })
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(making)
      }
      yield* collect
      assert.strictEqual(ok(yield* mimir.get(path)).state, "ready")
      assert.strictEqual((yield* rowOf(mimir))?.turn, 7)
    })
  )

  it.effect("is not there before its bytes are kept and its owner is told: all of it, or nothing", () =>
    Effect.gen(function* () {
      const ran = yield* signUp("ran")
      const [assets, events] = [yield* AssetStore, yield* EventLog]
      const abandoned = Layer.succeed(AssetStore, { ...assets, adoptUploads: () => Effect.succeed(false) })
      const untold = Layer.succeed(EventLog, {
        ...events,
        append: () => Effect.die(new Error("No room for events"))
      })
      ok(yield* ran.post(path, {}))
      const assertNothing = Effect.gen(function* () {
        assert.strictEqual((yield* rowOf(ran))?.key, null)
        assert.strictEqual(ok(yield* ran.get(path)).state, "waiting")
        yield* TestClock.adjust("1 hour")
      })
      yield* Effect.provide(collect, Layer.provide(anotherInstance, abandoned), { local: true })
      yield* assertNothing
      yield* Effect.provide(collect, Layer.provide(anotherInstance, untold), { local: true })
      yield* assertNothing
      yield* collect
      assert.strictEqual(ok(yield* ran.get(path)).state, "ready")
      yield* TestClock.adjust("3 hours")
      yield* clean
      assert.deepStrictEqual([yield* isStored(String((yield* rowOf(ran))?.key)), yield* noted], [true, []])
    })
  )

  it.effect("is taken by whoever comes first, and others take the next without waiting for them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [ve, vili] = [yield* signUp("ve"), yield* signUp("vili")]
      ok(yield* ve.post(path, {}))
      yield* TestClock.adjust("1 second")
      ok(yield* vili.post(path, {}))
      const [locked, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select from own_data_exports where account_id = ${ve.id} for update`
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(release)
          })
        )
      )
      yield* Deferred.await(locked)
      const [store, now] = [yield* OwnDataStore, yield* DateTime.now]
      const taking = store.take(now, DateTime.add(now, { minutes: 3 }))
      const taken = Option.getOrThrow(yield* inTime("the next one was not taken", taking))
      assert.strictEqual(taken.accountId, vili.id)
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(first)
      yield* TestClock.adjust("3 minutes")
      yield* collect
      for (const person of [ve, vili]) assert.strictEqual(ok(yield* person.get(path)).state, "ready")
    })
  )

  it.effect("is made once where two instances look at the same time", () =>
    Effect.gen(function* () {
      const people = yield* Effect.forEach(["sif", "nanna", "skadi", "idun"], (handle) => signUp(handle))
      for (const person of people) ok(yield* person.post(path, {}))
      const another = Effect.provide(collect, anotherInstance, { local: true })
      yield* Effect.all([collect, another], { concurrency: 2 })
      const made = yield* Effect.forEach(people, rowOf)
      assert.deepStrictEqual(
        made.map((row) => row?.turn),
        [1, 1, 1, 1]
      )
      assert.lengthOf(new Set(made.map((row) => row?.key)), 4)
    })
  )
})

layer(inBucket)("own data in a bucket", (it) => {
  it.effect("is given out from there, and removed from there once it is replaced", () =>
    Effect.gen(function* () {
      const { objects } = yield* Fake
      const vali = yield* signUp("vali")
      const objectOf = Effect.map(rowOf(vali), (row) => `/store/files/assets/${row?.key}`)
      assert.isTrue((yield* ownDataOf(vali)).has("contents.json"))
      const first = yield* objectOf
      const { bytes } = yield* download(`/api${archive}`, vali.headers)
      assert.isTrue(objects.get(first)?.equals(bytes))
      yield* ownDataOf(vali)
      const second = yield* objectOf
      yield* TestClock.adjust("3 hours")
      yield* clean
      assert.deepStrictEqual([objects.has(first), objects.has(second)], [false, true])
    })
  )

  it.effect("is waited for while the bucket refuses it, and made once it takes it", () =>
    Effect.gen(function* () {
      const bucket = yield* Fake
      const hel = yield* signUp("hel")
      ok(yield* hel.post(path, {}))
      bucket.answer = (request, response) => {
        if (request.method !== "PUT") return false
        request.resume()
        response.writeHead(503).end()
        return true
      }
      yield* collect
      assert.strictEqual(ok(yield* hel.get(path)).state, "waiting")
      assertProblem(yield* hel.get(archive), OwnDataNotReady)
      bucket.answer = undefined
      yield* TestClock.adjust("5 minutes")
      yield* collect
      assert.strictEqual(ok(yield* hel.get(path)).state, "ready")
      assert.strictEqual((yield* hel.get(archive)).status, 200)
    })
  )
})
