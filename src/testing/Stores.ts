/** The stores of the service, with something before each of what they do. */
import { Context, Effect, Layer, Record } from "effect"
import { SettingsStore } from "../domain/settings/SettingsStore.ts"
import * as App from "../layers/wiring/App.ts"

const beginWith = (before: Effect.Effect<void>, member: unknown): unknown => {
  if (typeof member === "function") {
    return (...parameters: ReadonlyArray<unknown>) => beginWith(before, member(...parameters))
  }
  return Effect.isEffect(member) ? Effect.andThen(before, member) : member
}

const isStore = (service: unknown): service is Readonly<Record<string, unknown>> =>
  typeof service === "object" && service !== null && Object.getPrototypeOf(service) === Object.prototype

/** The usual stores, with another effect before each of theirs. */
export const storesAfter = (before: Effect.Effect<void>) =>
  Layer.effectContext(
    Effect.map(Layer.build(App.stores), (context) => {
      const services = [...context.mapUnsafe].map(([key, service]): [string, unknown] => [
        key,
        // Requests that begin read the settings for all, and do not wait for them.
        isStore(service) && key !== SettingsStore.key
          ? Record.map(service, (member) => beginWith(before, member))
          : service
      ])
      return Context.makeUnsafe<Layer.Success<typeof App.stores>>(new Map(services))
    })
  )

/** The usual stores, with one of them changed. */
export const storesBut = <Name extends Layer.Success<typeof App.stores>, Store>(
  store: Context.Key<Name, Store>,
  change: (usual: Store) => Store
) => Layer.effect(store, Effect.map(store, change)).pipe(Layer.provideMerge(App.stores))
