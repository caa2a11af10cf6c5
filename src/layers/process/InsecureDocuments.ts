/** Says at the start that documents of clients may come from where they should not come in production. */
import { Effect, Layer } from "effect"
import { Settings } from "./Settings.ts"

export const warning = Layer.effectDiscard(
  Effect.gen(function* () {
    const { documents } = yield* Settings
    if (!documents.enabled || !documents.allowsInsecure) return
    yield* Effect.logWarning(
      "OAUTH_CIMD_ALLOW_INSECURE_FETCH is for development: documents of clients may come by http, and from OUTBOUND_NETWORKS"
    )
  })
)
