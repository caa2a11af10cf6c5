import { DateTime, Effect } from "effect"
import { type NewPlugin, PluginStore } from "../../src/domain/plugin/PluginStore.ts"
import { PluginId } from "../../src/domain/shared/Id.ts"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import { call, type Person } from "../support/people.ts"
import { least } from "./manifest.ts"

export const inTransaction = <A, E, R>(writes: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction, (transaction) => transaction(writes))

/** 32 bytes, as a SHA-256 has, that are another one for each number. */
export const hashOf = (number: number) => new Uint8Array(32).fill(number % 256).fill(number >> 8, 16)

let made = 0

/** An id, or the key of a file, that no other has. */
export const unused = (): string => {
  made += 1
  return made.toString(32).padStart(19, "0").concat("0")
}

export const external = (number: number): NewPlugin["connection"] => ({
  mode: "external",
  sealedToken: new Uint8Array([number % 256]),
  tokenHash: hashOf(number)
})

export const supervised = (key: string): NewPlugin["connection"] => ({
  mode: "supervised",
  package: { place: { store: "disk", key }, size: 100, hash: hashOf(0) }
})

/** Stores a plugin as it is added, without a package that it could run. */
export const insertPlugin = Effect.fnUntraced(function* (connection: NewPlugin["connection"]) {
  const store = yield* PluginStore
  const id = PluginId.make(unused())
  return yield* inTransaction(store.insert({ id, addedAt: yield* DateTime.now, manifest: least, connection }))
})

export const insertExternal = Effect.suspend(() => {
  made += 1
  return insertPlugin(external(made))
})
export const insertSupervised = Effect.suspend(() => insertPlugin(supervised(unused())))

export const plugins = "/plugins"

export const zipType = { "content-type": "application/zip" }

/** Adds a plugin by its archive. */
export const uploadPlugin = (person: Person, archive: Uint8Array) => person.post(plugins, archive, zipType)

/** Replaces the archive of a plugin. */
export const updatePackage = (person: Person, id: string, archive: Uint8Array) =>
  call("PATCH", `/api${plugins}/${id}/package`, {
    body: archive,
    headers: { ...person.headers, ...zipType }
  })
