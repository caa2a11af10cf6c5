/** The other services whose accounts people may sign in with in a test: none, until a test offers some. */
import { Effect, Layer } from "effect"
import {
  type ProviderElsewhere,
  ProvidersElsewhere
} from "../../src/domain/authentication/ProvidersElsewhere.ts"

const offered: Array<ProviderElsewhere> = []

/** Makes the services of the test offer these from now on. */
export const offer = (...providers: ReadonlyArray<ProviderElsewhere>) =>
  Effect.sync(() => {
    offered.splice(0, offered.length, ...providers)
  })

/** Each service of the tests begins with none: others in the process may have offered some. */
export const layer = Layer.sync(ProvidersElsewhere, () => {
  offered.length = 0
  return offered
})
