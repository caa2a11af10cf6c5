import { DateTime, Effect } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount, checkPermission } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { NodeId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import type { NewNode } from "./Node.ts"
import { makeNodeAccess } from "./NodeAccess.ts"
import { decideEvents } from "./NodeEvents.ts"
import { groupQueue } from "./NodeMoving.ts"
import type { NodePartsReader } from "./NodeParts.ts"
import { NodeSlugEmpty } from "./NodeProblems.ts"
import { slugFor } from "./NodeSlugs.ts"
import { NodeStore } from "./NodeStore.ts"
import { PropertyEdits } from "./PropertyEdits.ts"
import { decideFieldRight } from "./PropertyRules.ts"

/** Creates nodes. */
export const makeNodeCreation = Effect.fnUntraced(function* (parts: NodePartsReader) {
  const nodes = yield* NodeStore
  const properties = yield* PropertyEdits
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const ids = yield* Ids
  const { meet } = yield* makeNodeAccess

  /** Answers the id of the node. */
  return Effect.fn("Nodes.create")(function* (input: NewNode, network: ClientNetwork) {
    const actor = yield* CurrentAccount
    const visibility = input.visibility ?? "draft"
    if (visibility === "published") yield* checkPermission(actor, "MANAGE_LIBRARY")
    const slug = slugFor(input)
    if (slug === "") return yield* new NodeSlugEmpty({ metadata: { name: input.name } })
    const parent = input.parent === undefined ? undefined : yield* meet(input.parent, actor)
    const right = decideFieldRight(parent, actor)
    const prepared = yield* parts.prepare({ account: actor, network }, input)
    const id = NodeId.make(yield* ids.next)
    const at = yield* DateTime.now
    const node = {
      id,
      slug,
      name: input.name,
      ownerId: actor.accountId,
      visibility,
      parentId: parent?.id
    }
    const writing = Effect.gen(function* () {
      yield* nodes.lockGroup(node.parentId)
      yield* nodes.insert({
        ...node,
        at,
        description: prepared.text?.description ?? input.description ?? "",
        content: prepared.text?.content,
        hideChildTree: input.hide_child_tree ?? false,
        meta: input.meta ?? {},
        primaryImageId: input.primary_image_asset_id
      })
      if (input.properties !== undefined) {
        // A new node changes no fields, and its author sees where it is.
        yield* properties
          .replace(node, input.properties, { right, isNew: true })
          .pipe(Effect.catchTag("PropertyFieldsNotYours", Effect.die))
      }
      yield* parts.attach(node, prepared, input.tags, at)
      yield* events.append(actor.accountId, ...decideEvents(node, undefined))
    })
    yield* queue(groupQueue(node.parentId), transaction(writing))
    return id
  })
})
