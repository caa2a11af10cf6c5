/** The operations of the service for programs that use promises. */
import { Effect, Record } from "effect"
import { type Client, ForumApi } from "../Client.ts"

type Promised<Method> = Method extends (
  ...request: infer Request
) => Effect.Effect<infer Body, infer _Failure>
  ? (...request: Request) => Promise<Body>
  : never

/**
 * The operations by group: `api.threads.get({ params: { thread_mark } })`. Each answers the body; its promise is
 * rejected with the problem that the operation declares, as an instance of its class.
 */
export type PluginApi = {
  readonly [Group in keyof Client]: {
    readonly [Method in keyof Client[Group]]: Promised<Client[Group][Method]>
  }
}

type Methods = Readonly<
  Record<string, (...request: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>>
>

/** Calls each operation by the client of then. */
export const promisedBy = (client: () => Promise<Client>): PluginApi => {
  // What is done to a method does not depend on which it is, so it is written without their types.
  const groups = ForumApi.groups as unknown as Readonly<Record<string, { readonly endpoints: Methods }>>
  return Record.map(groups, ({ endpoints }, group) =>
    Record.map(endpoints, (_endpoint, method) => async (...request: ReadonlyArray<unknown>) => {
      const methods = ((await client()) as unknown as Readonly<Record<string, Methods>>)[group]
      return Effect.runPromise(methods?.[method]?.(...request) ?? Effect.void)
    })
  ) as unknown as PluginApi
}
