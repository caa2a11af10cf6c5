/** The name of this instance of the service, which no other has, for what only one of them does at a time. */
import { Context, Effect, Layer } from "effect"
import { makeTokens } from "../shared/Tokens.ts"

export class PluginInstance extends Context.Service<PluginInstance, { readonly name: string }>()(
  "forum/domain/PluginInstance"
) {
  static readonly layer = Layer.effect(
    PluginInstance,
    Effect.gen(function* () {
      const { make } = yield* makeTokens
      return { name: yield* make }
    })
  )
}
