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

  const found = Effect.fnUntraced(function* (mark: string, page: Option.Option<NodeState>) {
    return Option.isNone(page) ? yield* new NodeNotFound({ metadata: { node_slug: mark } }) : page.value
  })

  /** A page that the caller may change, as it is now. */
  const changeable = Effect.fnUntraced(function* (mark: string) {
    const page = yield* found(mark, yield* states.find(mark))
    yield* Effect.fromResult(checkMayChange(page, yield* CurrentAccount))
    return page
  })

  /** The same, locked. */
  const locked = Effect.fnUntraced(function* (mark: string) {
    const page = yield* found(mark, yield* states.findForUpdate(mark))
    yield* Effect.fromResult(checkMayChange(page, yield* CurrentAccount))
    return page
  })

  const note = Effect.fnUntraced(function* ({ id, slug }: NodeState, isVersioned: boolean) {
    const { accountId } = yield* CurrentAccount
    yield* store.noteEdit(id, yield* DateTime.now, isVersioned)
    yield* events.append(accountId, { _tag: "NodeUpdated", id, slug })
  })

  /** Changes what a page has in common with its siblings; while it has a draft, only the draft may. */
  const editing = Effect.fnUntraced(function* <A, E, R>(
    mark: string,
    edit: (page: NodeState) => Effect.Effect<A, E, R>
  ) {
    const before = yield* changeable(mark)
    const writing = Effect.gen(function* () {
      yield* states.lockGroupOf(before.id)
      const page = yield* locked(before.id)
      if (page.hasDraft) return yield* new NodeDraftExists({ metadata: { node_id: page.id } })
      yield* edit(page)
      yield* note(page, true)
      return page
    })
    return yield* queue(queueOf(before.parentId), transaction(writing))
  })

  /** Answers the fields that the children of a page share. A page without children has none. */
  const defineForChildren = Effect.fn("Properties.defineForChildren")(function* (
    mark: string,
    changes: ReadonlyArray<PropertySchemaChange>
  ) {
    const actor = yield* CurrentAccount
    const before = yield* changeable(mark)
    const writing = Effect.gen(function* () {
      yield* states.lockGroup(before.id)
      const page = yield* locked(before.id)
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
    const page = yield* editing(mark, ({ parentId }) => edits.define(actor, parentId, changes))
    return { properties: yield* store.fieldsOf(page.parentId) }
  })

  /** Answers the properties of a page. */
  const set = Effect.fn("Properties.set")(function* (
    mark: string,
    properties: ReadonlyArray<PropertyMutation>
  ) {
    const actor = yield* CurrentAccount
    const page = yield* editing(mark, (page) => edits.replace(actor, page, properties, false))
    const shown = yield* store.propertiesOf([page])
    return { properties: shown.get(page.id) ?? [] }
  })

  return { defineForChildren, define, set } as const
})

export class Properties extends Context.Service<Properties, Effect.Success<typeof make>>()(
  "forum/domain/Properties"
) {
  static readonly layer = Layer.effect(Properties, make)
}
