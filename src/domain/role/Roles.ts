/** What people may do with roles. */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { RoleId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { type NewRole, type RoleChanges, RoleNotFound, type RoleOrder } from "./Role.ts"
import { makeRoleChanges } from "./RoleChanges.ts"
import { decideChange, decideCreation, decideOrder, decideRemoval, type RolesState } from "./RoleRules.ts"
import { RoleStore } from "./RoleStore.ts"

const isRoleId = Schema.is(RoleId)

const notFound = (id: string) => new RoleNotFound({ metadata: { role_id: id } })

/** The id in an address, if it is one. */
export const parseRoleId = (id: string): Effect.Effect<RoleId, RoleNotFound> =>
  isRoleId(id) ? Effect.succeed(id) : Effect.fail(notFound(id))

const roleIn = ({ roles }: RolesState, id: string) => {
  const role = roles.find((role) => role.id === id)
  return role === undefined ? Effect.fail(notFound(id)) : Effect.succeed(role)
}

const make = Effect.gen(function* () {
  const store = yield* RoleStore
  const events = yield* EventLog
  const ids = yield* Ids
  const asRoleChange = yield* makeRoleChanges

  const get = Effect.fn("Roles.get")(function* (id: string) {
    const found = yield* store.find(yield* parseRoleId(id))
    return Option.isNone(found) ? yield* notFound(id) : found.value
  })

  const create = Effect.fn("Roles.create")(function* (input: NewRole) {
    const id = RoleId.make(yield* ids.next)
    const at = yield* DateTime.now
    const creation = Effect.fnUntraced(function* (state: RolesState) {
      const values = yield* Effect.fromResult(decideCreation(state, input))
      const role = yield* store.insert({ ...values, id, at })
      yield* events.append(state.actor.accountId, { _tag: "RoleCreated", id })
      return role
    })
    return yield* asRoleChange(creation)
  })

  const update = Effect.fn("Roles.update")(function* (id: string, changes: RoleChanges) {
    const writing = Effect.fnUntraced(function* (state: RolesState) {
      const { actor } = state
      const role = yield* roleIn(state, id)
      const values = yield* Effect.fromResult(decideChange(actor, role, changes))
      if (Object.keys(changes).length === 0) return role
      const changed = yield* store.update(role.id, values, yield* DateTime.now)
      yield* events.append(actor.accountId, { _tag: "RoleUpdated", id: role.id })
      return changed
    })
    return yield* asRoleChange(writing)
  })

  /** Answers all roles. */
  const arrange = Effect.fn("Roles.arrange")(function* ({ role_ids }: RoleOrder) {
    const arranging = Effect.fnUntraced(function* (state: RolesState) {
      yield* Effect.fromResult(decideOrder(state, role_ids))
      yield* store.arrange(role_ids)
      yield* events.append(state.actor.accountId, { _tag: "RolesReordered", ids: role_ids })
    })
    yield* asRoleChange(arranging)
    return yield* store.list
  })

  /** Deletes a custom role, and makes a built-in one what it was at first. */
  const remove = Effect.fn("Roles.remove")(function* (id: string) {
    const removal = Effect.fnUntraced(function* (state: RolesState) {
      const { actor } = state
      const role = yield* roleIn(state, id)
      const values = yield* Effect.fromResult(decideRemoval(actor, role))
      yield* values === undefined ? store.delete(role.id) : store.reset(role.id, values)
      yield* events.append(actor.accountId, {
        _tag: values === undefined ? "RoleDeleted" : "RoleUpdated",
        id: role.id
      })
    })
    yield* asRoleChange(removal)
  })

  return { list: store.list, get, create, update, arrange, remove } as const
})

export class Roles extends Context.Service<Roles, Effect.Success<typeof make>>()("forum/domain/Roles") {
  static readonly layer = Layer.effect(Roles, make)
}
