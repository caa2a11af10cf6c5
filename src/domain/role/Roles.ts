/** What people may do with roles. */
import { Context, Effect, Layer, Option } from "effect"
import { RoleNotFound } from "./Role.ts"
import { RoleStore } from "./RoleStore.ts"

const make = Effect.gen(function* () {
  const store = yield* RoleStore

  const get = Effect.fn("Roles.get")(function* (id: string) {
    const found = yield* store.find(id)
    if (Option.isNone(found)) return yield* new RoleNotFound({ metadata: { role_id: id } })
    return found.value
  })

  return { list: store.list, get } as const
})

export class Roles extends Context.Service<Roles, Effect.Success<typeof make>>()("forum/domain/Roles") {
  static readonly layer = Layer.effect(Roles, make)
}
