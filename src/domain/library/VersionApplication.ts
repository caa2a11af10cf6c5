/** A draft is applied: its node becomes what it says. */
import { DateTime, Effect, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { LinkStore } from "../link/LinkStore.ts"
import type { NodeVersionId } from "../shared/Id.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { decideEvents, versionEvent } from "./NodeEvents.ts"
import type { NodeState } from "./NodeRules.ts"
import { NodeStore } from "./NodeStore.ts"
import { descriptionOf } from "./NodeText.ts"
import { NodeVersionNotDraft } from "./NodeVersion.ts"
import { PropertyEdits } from "./PropertyEdits.ts"
import { PropertyStore } from "./PropertyStore.ts"
import { type Locked, makeVersionAccess, versionNotFound } from "./VersionAccess.ts"
import { type ProposedProperties, propertiesToApply } from "./VersionRules.ts"
import { type DraftContent, VersionStore } from "./VersionStore.ts"

export const makeVersionApplication = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const versions = yield* VersionStore
  const properties = yield* PropertyStore
  const links = yield* LinkStore
  const edits = yield* PropertyEdits
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const { getNode, getNodeForUpdate, shown } = yield* makeVersionAccess

  /** Gives the node the properties of its draft. Who applies drafts manages the library, and so owns the fields. */
  const applyProperties = Effect.fnUntraced(function* (node: NodeState, proposed: ProposedProperties) {
    const current = yield* properties.propertiesForUpdate(node)
    const list = propertiesToApply(proposed, current)
    // As they own the fields, they may do with them what the list says.
    return yield* edits
      .replace(node, list, { right: "own", isNew: false })
      .pipe(Effect.catchTag("PropertyFieldsNotYours", Effect.die))
  })

  /** Makes the node what its draft says. What the draft leaves empty, the node loses. Answers what to tell of fields. */
  const becoming = Effect.fnUntraced(function* (
    locked: Locked,
    id: NodeVersionId,
    draft: DraftContent,
    ownExcerpt: string | undefined
  ) {
    const { content, description, excerpt, meta, name, proposed, slug } = draft
    const { node } = locked
    const told = proposed === undefined ? [] : yield* applyProperties(node, proposed)
    const at = yield* DateTime.now
    const update = {
      name,
      ...(slug === node.slug ? {} : { slug }),
      // Content describes its node, whatever the draft says beside it.
      description: (content === undefined ? description : (excerpt ?? ownExcerpt)) ?? "",
      content: content ?? null,
      meta,
      currentVersionId: id
    }
    yield* nodes.update(node.id, update, at)
    const linked = content === undefined ? [] : draft.links
    if (linked !== undefined) yield* links.setNodeLinks(node.id, yield* links.resolveAll(linked, at))
    yield* versions.markApplied(node, id, at)
    return told
  })

  /** Applies a draft, for managers of the library. */
  const apply = Effect.fn("Versions.apply")(function* (mark: string, id: NodeVersionId) {
    const { node } = yield* getNode(mark)
    // Content that the draft took from the node is read before the transaction. It stays until it is written.
    const ownExcerpt = Option.map(yield* versions.findUnread(node.id, id), descriptionOf)
    const application = Effect.fnUntraced(function* (locked: Locked) {
      const version = Option.getOrUndefined(yield* versions.findState(locked.node.id, id))
      if (version === undefined) return yield* versionNotFound(mark, id)
      if (version.status === "applied")
        return yield* new NodeVersionNotDraft({ metadata: { version_id: id } })
      const draft = yield* versions.readDraft(id)
      const told = yield* becoming(locked, id, draft, Option.getOrUndefined(ownExcerpt))
      const node = { ...locked.node, slug: draft.slug }
      yield* events.append(
        locked.actor.accountId,
        ...decideEvents(node, node.visibility),
        ...told,
        versionEvent("NodeVersionDraftApplied", node, version)
      )
    })
    const inGroup = Effect.andThen(
      nodes.lockGroupOf(node.id),
      Effect.flatMap(getNodeForUpdate(mark, node.id), application)
    )
    yield* queue(node.id, transaction(inGroup))
    return yield* shown(mark, node.id, id)
  })

  return apply
})
