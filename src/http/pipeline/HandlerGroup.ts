import { Context, Effect, Layer, Scope } from "effect"
// biome-ignore lint/style/noRestrictedImports: what the others use instead
import { type HttpApi, HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { endpointsOf } from "../contract/Endpoints.ts"

/** The names of the services that are the middleware of a group's endpoints. */
const middlewareOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  name: string
) =>
  new Set(
    endpointsOf(api)
      .filter(({ group }) => group === name)
      .flatMap(({ middleware }) => [...middleware].map(({ key }) => key))
  )

/** The result with all services of a context, if it is an effect. */
const provided = <A>(result: A, services: Context.Context<never>): A =>
  // What comes out differs in what it requires only, and all of that is provided here.
  Effect.isEffect(result) ? (Effect.provideContext(result, services) as A) : result

/**
 * Implements the endpoints of a group, as `HttpApiBuilder.group` does. That one begins each request with a copy of all
 * services that the group was built with, of which there are more than a hundred; handlers have taken what they need
 * from them when they were built. This one copies those that are the group's middleware.
 */
export const group: typeof HttpApiBuilder.group = (api, name, build) =>
  Layer.effectContext(
    Effect.contextWith((services: Context.Context<never>) => {
      const kept = middlewareOf(api, name).add(Scope.Scope.key)
      const few = new Map([...services.mapUnsafe].filter(([key]) => kept.has(key)))
      return HttpApiBuilder.group(api, name, (handlers) => provided(build(handlers), services)).pipe(
        Layer.build,
        Effect.updateContext(() => Context.makeUnsafe(few))
      )
    })
  )
