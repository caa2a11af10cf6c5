/** Which events tell of what has happened to a node. Pure. */
import type { DomainEvent } from "../event/EventLog.ts"
import type { NodeState } from "./NodeRules.ts"
import type { VersionState } from "./VersionStore.ts"

type Told = Pick<NodeState, "id" | "slug" | "visibility">

/** What another visibility of a node means to others. Drafts and unlisted nodes are the same to them. */
const transition = (node: Told, before: NodeState["visibility"] | undefined): ReadonlyArray<DomainEvent> => {
  const { id, slug, visibility } = node
  if (visibility === "published") return [{ _tag: "NodePublished", id, slug }]
  if (visibility === "review") return [{ _tag: "NodeSubmittedForReview", id, slug }]
  return before === "published" ? [{ _tag: "NodeUnpublished", id, slug }] : []
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
  if (before === undefined) return [{ _tag: "NodeCreated", id, slug }, ...transition(node, before)]
  return before === node.visibility ? [{ _tag: "NodeUpdated", id, slug }] : transition(node, before)
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
