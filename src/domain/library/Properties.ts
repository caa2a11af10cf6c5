/** What people may do with the properties of pages and the fields that siblings share. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { Transaction } from "../shared/Transaction.ts"
import { WriteQueue } from "../shared/WriteQueue.ts"
import { NodeDraftExists, NodeNotFound } from "./Node.ts"
import { checkMayChange } from "./NodeRules.ts"
import type { NodeState } from "./NodeState.ts"
import { NodeStates } from "./NodeStates.ts"
import type { PropertyMutation, PropertySchemaChange } from "./Property.ts"
import { PropertyEdits } from "./PropertyEdits.ts"
import { type Group, PropertyStore } from "./PropertyStore.ts"

/** What those who change the fields of one group wait in. */
const queueOf = (group: Group) => group ?? "top level"

const make = Effect.gen(function* () {
  const states = yield* NodeStates
  const store = yield* PropertyStore
  const edits = yield* PropertyEdits
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue

  /** A page that was looked for under some name, if it is there and the caller may change it. */
  const changeable = Effect.fnUntraced(function* (mark: string, found: Option.Option<NodeState>) {
    if (Option.isNone(found)) return yield* new NodeNotFound({ metadata: { node_slug: mark } })
    yield* Effect.fromResult(checkMayChange(found.value, yield* CurrentAccount))
    return found.value
  })

  const find = (mark: string) => Effect.flatMap(states.find(mark), (found) => changeable(mark, found))

  /** The same page as it is now, locked. */
  const lock = (mark: string, { id }: NodeState) =>
    Effect.flatMap(states.findForUpdate(id), (found) => changeable(mark, found))

  const note = Effect.fnUntraced(function* ({ id, slug }: NodeState, isVersioned: boolean) {
    const { accountId } = yield* CurrentAccount
    yield* store.noteEdit(id, yield* DateTime.now, isVersioned)
    yield* events.append(accountId, { _tag: "NodeUpdated", id, slug })
  })

  /** Changes what a page has in common with its siblings; while it has a draft, only that may be changed. */
  const editing = Effect.fnUntraced(function* <A, E, R>(
    mark: string,
    edit: (page: NodeState) => Effect.Effect<A, E, R>
  ) {
    const before = yield* find(mark)
    const writing = Effect.gen(function* () {
      yield* states.lockGroupOf(before.id)
      const page = yield* lock(mark, before)
      if (page.hasDraft) return yield* new NodeDraftExists({ metadata: { node_id: page.id } })
      const edited = yield* edit(page)
      yield* note(page, true)
      return edited
    })
    return { properties: yield* queue(queueOf(before.parentId), transaction(writing)) }
  })

  /** Answers the fields that the children of a page share. A page without children has none. */
  const defineForChildren = Effect.fn("Properties.defineForChildren")(function* (
    mark: string,
    changes: ReadonlyArray<PropertySchemaChange>
  ) {
    const actor = yield* CurrentAccount
    const before = yield* find(mark)
    const writing = Effect.gen(function* () {
      yield* states.lockGroup(before.id)
      const page = yield* lock(mark, before)
      if (!(yield* store.hasPages(page.id))) return []
      yield* edits.define(actor, page.id, changes)
      yield* note(page, false)
      return yield* store.fieldsForUpdate(page.id)
    })
    return { properties: yield* queue(queueOf(before.id), transaction(writing)) }
  })

  /** Answers the fields that a page shares with its siblings. */
  const define = Effect.fn("Properties.define")(function* (
    mark: string,
    changes: ReadonlyArray<PropertySchemaChange>
  ) {
    const actor = yield* CurrentAccount
    const defining = Effect.fnUntraced(function* ({ parentId }: NodeState) {
      yield* edits.define(actor, parentId, changes)
      return yield* store.fieldsForUpdate(parentId)
    })
    return yield* editing(mark, defining)
  })

  /** Answers the properties of a page. */
  const set = Effect.fn("Properties.set")(function* (
    mark: string,
    properties: ReadonlyArray<PropertyMutation>
  ) {
    const actor = yield* CurrentAccount
    const setting = Effect.fnUntraced(function* (page: NodeState) {
      yield* edits.replace(actor, page, properties, false)
      return yield* store.propertiesForUpdate(page.id, page.parentId)
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
