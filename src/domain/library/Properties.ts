/** What people may do with the properties of nodes and the fields that siblings share. */
import { Context, DateTime, Effect, Layer } from "effect"
import { EventLog, type NewEvent } from "../event/EventLog.ts"
import type { AccountActor } from "../shared/Actor.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { checkDraft } from "./DraftRules.ts"
import { makeNodeAccess } from "./NodeAccess.ts"
import { updatedEvent } from "./NodeEvents.ts"
import { groupQueue } from "./NodeMoving.ts"
import type { NodeState } from "./NodeRules.ts"
import { NodeStore } from "./NodeStore.ts"
import type { PropertyMutation, PropertySchemaChange } from "./Property.ts"
import { PropertyEdits } from "./PropertyEdits.ts"
import { decideFieldRight, type FieldRight } from "./PropertyRules.ts"
import { childFields, fieldsOf, PropertyStore } from "./PropertyStore.ts"

const make = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const store = yield* PropertyStore
  const edits = yield* PropertyEdits
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const { getForUpdate, getOwn } = yield* makeNodeAccess

  const note = Effect.fnUntraced(function* (
    actor: AccountActor,
    node: NodeState,
    told: ReadonlyArray<NewEvent>,
    isVersioned: boolean
  ) {
    yield* store.noteEdit(node.id, yield* DateTime.now, isVersioned)
    yield* events.append(actor.accountId, updatedEvent(node), ...told)
  })

  /** Changes what a node has in common with its siblings; while it has a draft, only that may be changed. */
  const editing = Effect.fnUntraced(function* <A, E, R>(
    mark: string,
    edit: (node: NodeState, right: FieldRight) => Effect.Effect<ReadonlyArray<NewEvent>, E, R>,
    shown: (node: NodeState) => Effect.Effect<ReadonlyArray<A>>
  ) {
    const { actor, node: found } = yield* getOwn(mark)
    const writing = Effect.gen(function* () {
      yield* nodes.lockGroupOf(found.id)
      const node = yield* getForUpdate(found.id)
      yield* Effect.fromResult(checkDraft(node, { properties: [] }))
      const told = yield* edit(node, decideFieldRight(node.above, actor))
      yield* note(actor, node, told, true)
      return { properties: yield* shown(node) }
    })
    return yield* queue(groupQueue(found.parentId), transaction(writing))
  })

  /** Answers the fields that the children of a node share. A node without children has none. */
  const defineForChildren = Effect.fn("Properties.defineForChildren")(function* (
    mark: string,
    changes: ReadonlyArray<PropertySchemaChange>
  ) {
    const { actor, node: found } = yield* getOwn(mark)
    const writing = Effect.gen(function* () {
      yield* nodes.lockGroup(found.id)
      const node = yield* getForUpdate(found.id)
      if (!(yield* store.hasChildren(node.id))) return { properties: [] }
      const group = childFields(node.id)
      // Neither can happen: the fields belong to the caller, and the schema bounds the list.
      const told = yield* edits
        .define(group, changes, "own")
        .pipe(Effect.catchTags({ PropertyFieldsNotYours: Effect.die, TooManyPropertyFields: Effect.die }))
      yield* note(actor, node, told, false)
      return { properties: yield* store.fieldsForUpdate(group) }
    })
    return yield* queue(groupQueue(found.id), transaction(writing))
  })

  /** Answers the fields that a node has, with its siblings if it is not at the top level. */
  const define = Effect.fn("Properties.define")(function* (
    mark: string,
    changes: ReadonlyArray<PropertySchemaChange>
  ) {
    return yield* editing(
      mark,
      (node, right) => edits.define(fieldsOf(node), changes, right),
      (node) => store.fieldsForUpdate(fieldsOf(node))
    )
  })

  /** Answers the properties of a node. */
  const set = Effect.fn("Properties.set")(function* (
    mark: string,
    properties: ReadonlyArray<PropertyMutation>
  ) {
    return yield* editing(
      mark,
      (node, right) => edits.replace(node, properties, { right, isNew: false }),
      store.propertiesForUpdate
    )
  })

  return { defineForChildren, define, set } as const
})

export class Properties extends Context.Service<Properties, Effect.Success<typeof make>>()(
  "forum/domain/Properties"
) {
  static readonly layer = Layer.effect(Properties, make)
}
