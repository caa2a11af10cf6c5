/** Which events tell of what has happened to a node. Pure. */
import type { DomainEvent } from "../event/EventLog.ts"
import type { NodeState } from "./NodeRules.ts"
import type { VersionState } from "./VersionStore.ts"

type Told = Pick<NodeState, "id" | "slug" | "visibility">

/** What another visibility of a node is to others: one event, whatever it was before. A new node is not unpublished. */
const transition = (node: Told, isNew: boolean): ReadonlyArray<DomainEvent> => {
  const { id, slug, visibility } = node
  if (visibility === "published") return [{ _tag: "NodePublished", id, slug }]
  if (visibility === "review") return [{ _tag: "NodeSubmittedForReview", id, slug }]
  return isNew ? [] : [{ _tag: "NodeUnpublished", id, slug }]
}

/**
 * The events of a node that has been created or, if `before` is the visibility that it had, changed. A change of the
 * visibility is an event of its own; any other change is an update.
 */
export const decideEvents = (
  node: Told,
  before: NodeState["visibility"] | undefined
): ReadonlyArray<DomainEvent> => {
  const { id, slug } = node
  if (before === undefined) return [{ _tag: "NodeCreated", id, slug }, ...transition(node, true)]
  return before === node.visibility ? [{ _tag: "NodeUpdated", id, slug }] : transition(node, false)
}

export type Happened =
  | "NodeVersionDraftCreated"
  | "NodeVersionDraftUpdated"
  | "NodeVersionDraftApplied"
  | "NodeVersionDraftDeleted"

/** What has happened to a version of a node. */
export const versionEvent = (
  happened: Happened,
  node: NodeState,
  { authorId, id }: Pick<VersionState, "authorId" | "id">
): DomainEvent => ({
  _tag: happened,
  node_id: node.id,
  node_slug: node.slug,
  version_id: id,
  author_id: authorId,
  owner_id: node.ownerId
})
