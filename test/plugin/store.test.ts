/** What storage says of plugins, and which instance runs them. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { room } from "../../src/domain/answer/AnswerRoom.ts"
import { pluginsMax } from "../../src/domain/plugin/Plugin.ts"
import type { PluginState } from "../../src/domain/plugin/PluginState.ts"
import { PluginStore } from "../../src/domain/plugin/PluginStore.ts"
import { AccountId, PluginId, RoleId } from "../../src/domain/shared/Id.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { nobody } from "../support/people.ts"
import { least } from "./manifest.ts"
import {
  external,
  hashOf,
  insertExternal,
  insertPlugin,
  insertSupervised,
  inTransaction,
  supervised
} from "./support.ts"

const [here, there] = ["h".repeat(43), "t".repeat(43)]

const unknown = PluginId.make(nobody)

const listed = PluginStore.use(({ list }) => Effect.map(list(room), (plugins) => plugins.map(({ id }) => id)))

const clear = SqlClient.SqlClient.use((sql) => sql`delete from plugins`)

/** A lease of a minute, and when it is over. */
const leaseOf = (holder: string, now: DateTime.Utc) => ({ holder, until: DateTime.add(now, { minutes: 1 }) })

const idsOf = (plugins: ReadonlyArray<{ readonly id: string }>) => plugins.map(({ id }) => id).sort()

layer(People.layer)("plugins", (it) => {
  it.effect("are stored as they are added, and listed with the newest first", () =>
    Effect.gen(function* () {
      yield* clear
      const store = yield* PluginStore
      const now = yield* DateTime.now
      const first = yield* insertPlugin(supervised("first"))
      const second = yield* insertPlugin(external(5000))
      const common = {
        addedAt: now,
        manifest: least,
        configuration: {},
        revision: 0,
        lease: undefined,
        accountId: undefined,
        roleId: undefined
      }
      assert.deepStrictEqual(first, {
        ...common,
        id: first.id,
        connection: supervised("first"),
        isWanted: false,
        state: { name: "inactive", at: now }
      })
      assert.deepStrictEqual(second, {
        ...common,
        id: second.id,
        connection: external(5000),
        isWanted: true,
        state: { name: "connecting", at: now }
      })
      assert.deepStrictEqual(yield* listed, [second.id, first.id])
      assert.sameMembers([...(yield* store.ids)], [second.id, first.id])
      assert.deepStrictEqual(yield* store.find(first.id), Option.some(first))
      assert.deepStrictEqual(yield* inTransaction(store.findForUpdate(first.id)), Option.some(first))
      assert.deepStrictEqual(yield* store.findByTokenHash(hashOf(5000)), Option.some(second))
      assert.deepStrictEqual(yield* store.findByTokenHash(hashOf(5001)), Option.none())
      assert.deepStrictEqual(yield* store.find(unknown), Option.none())
      yield* inTransaction(store.remove(first.id))
      assert.deepStrictEqual(yield* listed, [second.id])
    })
  )

  it.effect("show by their revision that whoever runs them has to look", () =>
    Effect.gen(function* () {
      const store = yield* PluginStore
      const now = yield* DateTime.now
      const { id } = yield* insertSupervised
      const manifest = { ...least, name: "Another" }
      const wanted = yield* inTransaction(store.want(id, true, now))
      assert.deepInclude(wanted, { isWanted: true, revision: 1, state: { name: "inactive", at: now } })
      const renamed = yield* inTransaction(store.setManifest(id, manifest))
      assert.deepInclude(renamed, { manifest, revision: 2, isWanted: true })
      const archive = { place: { store: "s3", key: "second" }, size: 1, hash: hashOf(1) } as const
      const updated = yield* inTransaction(store.setPackage(id, least, archive))
      const connection = { mode: "supervised", package: archive } as const
      assert.deepInclude(updated, { manifest: least, connection, revision: 3 })
      yield* store.setConfiguration(id, { word: "Hi", times: 2, deep: { "": [null] } })
      const configured = Option.getOrThrow(yield* store.find(id))
      assert.deepInclude(configured, {
        configuration: { word: "Hi", times: 2, deep: { "": [null] } },
        revision: 3
      })

      const { id: other } = yield* insertExternal
      yield* inTransaction(store.setToken(other, new Uint8Array([9]), hashOf(5900)))
      const found = Option.getOrThrow(yield* store.findByTokenHash(hashOf(5900)))
      const token = { mode: "external", sealedToken: new Uint8Array([9]), tokenHash: hashOf(5900) } as const
      assert.deepInclude(found, { id: other, connection: token, revision: 1 })
    })
  )

  it.effect("remember the bot that they act as until it is gone", () =>
    Effect.gen(function* () {
      const store = yield* PluginStore
      const { freya } = yield* People.Cast
      const { id } = yield* insertExternal
      const role = RoleId.make(ok(yield* freya.get("/roles")).roles[0].id)
      yield* store.setBot(id, AccountId.make(freya.id), role)
      assert.deepInclude(Option.getOrThrow(yield* store.find(id)), {
        accountId: AccountId.make(freya.id),
        roleId: role
      })
      yield* inTransaction(store.remove(id))
    })
  )

  it.effect("become as many of a mode as they may under fifty requests, and no more", () =>
    Effect.gen(function* () {
      yield* clear
      yield* Effect.forEach(Array(pluginsMax - 10), () => insertExternal)
      const results = yield* Effect.all(
        Array.from({ length: 50 }, () => Effect.result(insertExternal)),
        { concurrency: 50 }
      )
      const failures = results.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
      assert.strictEqual(failures.length, 40)
      for (const failure of failures) {
        assert.deepInclude(failure, { _tag: "TooManyPlugins", metadata: { maximum: pluginsMax } })
      }
      assert.strictEqual((yield* insertSupervised).isWanted, false)
      yield* clear
    })
  )
})

layer(People.layer)("the lease of a plugin", (it) => {
  it.effect("is had by one instance at a time, and by another when it is over or given back", () =>
    Effect.gen(function* () {
      const store = yield* PluginStore
      const now = yield* DateTime.now
      const { id } = yield* insertExternal
      const lease = leaseOf(here, now)
      assert.deepInclude(Option.getOrThrow(yield* store.takeLease(id, lease, now)), { lease })
      assert.isTrue(Option.isSome(yield* store.takeLease(id, leaseOf(here, now), now)))
      const almost = DateTime.add(now, { seconds: 59 })
      assert.isTrue(Option.isNone(yield* store.takeLease(id, leaseOf(there, almost), almost)))
      const taken = yield* store.takeLease(id, leaseOf(there, lease.until), lease.until)
      assert.deepInclude(Option.getOrThrow(taken), { lease: leaseOf(there, lease.until) })
      const state = { name: "connecting", at: now } as const
      assert.isFalse(yield* store.setState(id, here, state, false))
      assert.isTrue(yield* store.setState(id, there, state, false))
      assert.deepInclude(Option.getOrThrow(yield* store.find(id)), { lease: undefined, state })
      assert.isTrue(Option.isSome(yield* store.takeLease(id, lease, now)))
      assert.isTrue(Option.isNone(yield* store.takeLease(unknown, lease, now)))
    })
  )

  it.effect("goes to one of two instances that ask for it fifty times", () =>
    Effect.gen(function* () {
      const store = yield* PluginStore
      const now = yield* DateTime.now
      const { id } = yield* insertExternal
      const holders = Array.from({ length: 50 }, (_, place) => (place % 2 === 0 ? here : there))
      const taken = yield* Effect.forEach(
        holders,
        (holder) => Effect.map(store.takeLease(id, leaseOf(holder, now), now), () => holder),
        { concurrency: 50 }
      )
      assert.strictEqual(taken.length, 50)
      const { lease } = Option.getOrThrow(yield* store.find(id))
      const winners = yield* Effect.filter([here, there], (holder) =>
        Effect.map(store.takeLease(id, leaseOf(holder, now), now), Option.isSome)
      )
      assert.deepStrictEqual(winners, [lease?.holder])
    })
  )

  it.effect("is taken of supervised plugins alone, if they are wanted, and of each by one instance", () =>
    Effect.gen(function* () {
      yield* clear
      const store = yield* PluginStore
      const now = yield* DateTime.now
      const plugins = yield* Effect.forEach(Array(12), () => insertSupervised)
      yield* insertExternal
      yield* insertSupervised
      yield* Effect.forEach(plugins, ({ id }) => inTransaction(store.want(id, true, now)))
      const taken = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, place) => (place % 2 === 0 ? here : there)),
        (holder) => store.takeFreeLeases(leaseOf(holder, now), now, false),
        { concurrency: 20 }
      )
      assert.deepStrictEqual(idsOf(taken.flat()), idsOf(plugins))
      assert.deepStrictEqual(yield* store.takeFreeLeases(leaseOf(there, now), now, false), [])
      const later = DateTime.add(now, { minutes: 1 })
      const all = yield* store.takeFreeLeases(leaseOf(there, later), later, false)
      assert.deepStrictEqual(idsOf(all), idsOf(plugins))
    })
  )

  it.effect("is extended while the instance has it, with what the plugin is now", () =>
    Effect.gen(function* () {
      yield* clear
      const store = yield* PluginStore
      const now = yield* DateTime.now
      const { id } = yield* insertExternal
      const { id: other } = yield* insertExternal
      yield* store.takeLease(id, leaseOf(here, now), now)
      yield* store.takeLease(other, leaseOf(there, now), now)
      yield* inTransaction(store.setManifest(id, { ...least, name: "Renamed" }))
      const later = DateTime.add(now, { seconds: 30 })
      const [renewed, ...rest] = yield* store.renewLeases(leaseOf(here, later), later)
      assert.deepStrictEqual(rest, [])
      assert.deepStrictEqual(renewed, { id, mode: "external", revision: 1, isAsked: false })
      assert.deepInclude(Option.getOrThrow(yield* store.find(id)), { lease: leaseOf(here, later) })
      const over = DateTime.add(later, { minutes: 1 })
      assert.deepStrictEqual(yield* store.renewLeases(leaseOf(here, over), over), [])
      yield* inTransaction(store.remove(other))
      assert.deepStrictEqual(yield* store.renewLeases(leaseOf(there, later), later), [])
    })
  )

  it.effect("lets its instance say what becomes of the plugin, and how it failed", () =>
    Effect.gen(function* () {
      const store = yield* PluginStore
      const now = yield* DateTime.now
      const { id } = yield* insertSupervised
      yield* inTransaction(store.want(id, true, now))
      yield* store.takeLease(id, leaseOf(here, now), now)
      const states: ReadonlyArray<PluginState> = [
        { name: "starting", at: now },
        { name: "restarting", at: now, message: "exit status 42", details: { exit_code: 42 } },
        { name: "active", at: now },
        { name: "error", at: now, message: "exit status 42", details: {} }
      ]
      for (const state of states) {
        assert.isTrue(yield* store.setState(id, here, state, true))
        assert.isFalse(yield* store.setState(id, there, state, true))
        const found = Option.getOrThrow(yield* store.find(id))
        assert.deepInclude(found, { state, revision: 1, lease: leaseOf(here, now) })
      }
    })
  )

  it.effect("keeps the state of a plugin that is not wanted any more until its instance has stopped it", () =>
    Effect.gen(function* () {
      const store = yield* PluginStore
      const now = yield* DateTime.now
      const { id } = yield* insertSupervised
      const state = { name: "error", at: now, message: "exit status 42", details: {} } as const
      yield* inTransaction(store.want(id, true, now))
      yield* store.takeLease(id, leaseOf(here, now), now)
      yield* store.setState(id, here, state, true)
      const later = DateTime.add(now, { seconds: 1 })
      const unwanted = yield* inTransaction(store.want(id, false, later))
      assert.deepInclude(unwanted, { isWanted: false, revision: 2, state, lease: leaseOf(here, now) })
      assert.isTrue(
        Option.isNone(yield* store.takeLease(id, leaseOf(there, later), DateTime.add(now, { minutes: 2 })))
      )
      const over = DateTime.add(now, { minutes: 1 })
      const inactive = yield* inTransaction(store.want(id, false, over))
      assert.deepInclude(inactive, { state: { name: "inactive", at: over }, lease: undefined, revision: 3 })
    })
  )

  it.effect("lets one process of the plugin in, once", () =>
    Effect.gen(function* () {
      const store = yield* PluginStore
      const now = yield* DateTime.now
      const { id } = yield* insertSupervised
      yield* inTransaction(store.want(id, true, now))
      assert.isFalse(yield* store.setEntry(id, here, hashOf(1)))
      yield* store.takeLease(id, leaseOf(here, now), now)
      assert.isTrue(yield* store.setEntry(id, here, hashOf(1)))
      assert.isFalse(yield* store.setEntry(id, there, hashOf(2)))
      assert.isFalse(yield* store.useEntry(id, hashOf(2)))
      const uses = yield* Effect.all(
        Array.from({ length: 50 }, () => store.useEntry(id, hashOf(1))),
        { concurrency: 50 }
      )
      assert.strictEqual(uses.filter(Boolean).length, 1)
      yield* store.setEntry(id, here, hashOf(3))
      yield* store.setEntry(id, here, undefined)
      assert.isFalse(yield* store.useEntry(id, hashOf(3)))
    })
  )
})
