/** What people may do with versions of nodes: drafts are created, changed, deleted, and applied to their node. */
import { Context, Effect, Layer } from "effect"
import { makeDraftChanges } from "./DraftChanges.ts"
import { makeVersionApplication } from "./VersionApplication.ts"

const make = Effect.gen(function* () {
  return { ...(yield* makeDraftChanges), apply: yield* makeVersionApplication } as const
})

export class Versions extends Context.Service<Versions, Effect.Success<typeof make>>()(
  "forum/domain/Versions"
) {
  static readonly layer = Layer.effect(Versions, make)
}
