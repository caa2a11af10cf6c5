import { type DateTime, Effect } from "effect"
import { EventLog } from "../event/EventLog.ts"
import type { AccountId } from "../shared/Id.ts"
import { deletedEvent, updatedEvent } from "./NodeEvents.ts"
import type { NodeState } from "./NodeRules.ts"
import { type Child, type Group, NodeStore } from "./NodeStore.ts"
import { PropertyEdits } from "./PropertyEdits.ts"
import type { FieldRight } from "./PropertyRules.ts"

/** Deletes nodes, for somebody who may, in a transaction that has locked the tree and the node. */
export const makeNodeRemoval = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const properties = yield* PropertyEdits
  const events = yield* EventLog

  /** Moves these children of a node into another group, with the values of their properties. */
  const empty = Effect.fnUntraced(function* (
    node: NodeState,
    children: ReadonlyArray<Child>,
    to: Group,
    right: FieldRight,
    at: DateTime.Utc
  ) {
    yield* nodes.moveAll(children, to, at)
    yield* properties.follow(children, node.id, to, right)
  })

  /** Deletes a node after its children, which are all of these, have moved. */
  const remove = Effect.fnUntraced(function* (
    by: AccountId | undefined,
    node: NodeState,
    children: ReadonlyArray<Child>,
    to: Group,
    right: FieldRight,
    at: DateTime.Utc
  ) {
    yield* empty(node, children, to, right, at)
    yield* nodes.delete(node)
    yield* events.append(by, deletedEvent(node), ...children.map(updatedEvent))
  })

  return { empty, remove } as const
})
