/** What people may do with the properties of pages and the fields that siblings share. */
import { Context, DateTime, Effect, Layer } from "effect"
import { EventLog } from "../event/EventLog.ts"
import type { AccountActor } from "../shared/Actor.ts"
import { Transaction } from "../shared/Transaction.ts"
import { WriteQueue } from "../shared/WriteQueue.ts"
import { checkDraft } from "./DraftRules.ts"
import { makeNodeAccess } from "./NodeAccess.ts"
import { groupQueue } from "./NodeMoving.ts"
import type { NodeState } from "./NodeState.ts"
import { NodeStates } from "./NodeStates.ts"
import type { PropertyMutation, PropertySchemaChange } from "./Property.ts"
import { PropertyEdits } from "./PropertyEdits.ts"
import { type Group, PropertyStore } from "./PropertyStore.ts"

const make = Effect.gen(function* () {
  const states = yield* NodeStates
  const store = yield* PropertyStore
  const edits = yield* PropertyEdits
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const { getForUpdate, getOwn } = yield* makeNodeAccess

  const note = Effect.fnUntraced(function* (
    actor: AccountActor,
    { id, slug }: NodeState,
    isVersioned: boolean
  ) {
    yield* store.noteEdit(id, yield* DateTime.now, isVersioned)
    yield* events.append(actor.accountId, { _tag: "NodeUpdated", id, slug })
  })

  /** Changes what a page has in common with its siblings; while it has a draft, only that may be changed. */
  const editing = Effect.fnUntraced(function* <A, E, R>(
    mark: string,
    edit: (node: NodeState) => Effect.Effect<A, E, R>
  ) {
    const { actor, node: found } = yield* getOwn(mark)
    const writing = Effect.gen(function* () {
      yield* states.lockGroupOf(found.id)
      const node = yield* getForUpdate(found.id)
      yield* Effect.fromResult(checkDraft(node, { properties: [] }))
      const properties = yield* edit(node)
      yield* note(actor, node, true)
      return { properties }
    })
    return yield* queue(groupQueue(found.parentId), transaction(writing))
  })

  /** A list has no more fields than there may be. */
  const defineGroup = (group: Group, changes: ReadonlyArray<PropertySchemaChange>) =>
    edits.define(group, changes).pipe(Effect.catchTag("TooManyPropertyFields", Effect.die))

  /** Answers the fields that the children of a page share. A page without children has none. */
  const defineForChildren = Effect.fn("Properties.defineForChildren")(function* (
    mark: string,
    changes: ReadonlyArray<PropertySchemaChange>
  ) {
    const { actor, node: found } = yield* getOwn(mark)
    const writing = Effect.gen(function* () {
      yield* states.lockGroup(found.id)
      const node = yield* getForUpdate(found.id)
      if (!(yield* store.hasPages(node.id))) return { properties: [] }
      yield* defineGroup(node.id, changes)
      yield* note(actor, node, false)
      return { properties: yield* store.fieldsForUpdate(node.id) }
    })
    return yield* queue(groupQueue(found.id), transaction(writing))
  })

  /** Answers the fields that a page shares with its siblings. */
  const define = Effect.fn("Properties.define")(function* (
    mark: string,
    changes: ReadonlyArray<PropertySchemaChange>
  ) {
    const defining = Effect.fnUntraced(function* ({ parentId }: NodeState) {
      yield* defineGroup(parentId, changes)
      return yield* store.fieldsForUpdate(parentId)
    })
    return yield* editing(mark, defining)
  })

  /** Answers the properties of a page. */
  const set = Effect.fn("Properties.set")(function* (
    mark: string,
    properties: ReadonlyArray<PropertyMutation>
  ) {
    const setting = Effect.fnUntraced(function* (node: NodeState) {
      // The fields are those of the list, which has no more than there may be.
      yield* edits.replace(node, properties, false).pipe(Effect.catchTag("TooManyPropertyFields", Effect.die))
      return yield* store.propertiesForUpdate(node.id, node.parentId)
    })
    return yield* editing(mark, setting)
  })

  return { defineForChildren, define, set } as const
})

export class Properties extends Context.Service<Properties, Effect.Success<typeof make>>()(
  "forum/domain/Properties"
) {
  static readonly layer = Layer.effect(Properties, make)
}
