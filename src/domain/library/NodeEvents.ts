/** Which events tell of what has happened to a node. Pure. */
import type { NewEvent } from "../event/EventLog.ts"
import { type Standing, standingOf } from "../event/Standing.ts"
import type { Visibility } from "../shared/Visibility.ts"
import type { NodeState } from "./NodeRules.ts"
import type { VersionState } from "./VersionStore.ts"

type Told = Pick<NodeState, "id" | "slug" | "visibility" | "ownerId">

const standingOfNode = ({ ownerId, visibility }: Told, before?: Visibility): Standing =>
  standingOf({ authorId: ownerId, visibility }, before)

const about = (node: Told, before?: Visibility) => ({
  id: node.id,
  slug: node.slug,
  standing: standingOfNode(node, before)
})

/** What another visibility of a node is to others: one event, whatever it was before. A new node is not unpublished. */
const transition = (node: Told, before: Visibility | undefined): ReadonlyArray<NewEvent> => {
  const told = about(node, before)
  if (node.visibility === "published") return [{ _tag: "NodePublished", ...told }]
  if (node.visibility === "review") return [{ _tag: "NodeSubmittedForReview", ...told }]
  return before === undefined ? [] : [{ _tag: "NodeUnpublished", ...told }]
}

/** The event that what a node says, what belongs to it or its place has changed. */
export const updatedEvent = (node: Told): NewEvent => ({ _tag: "NodeUpdated", ...about(node) })

/** The event that a node is deleted, as it was. */
export const deletedEvent = (node: Told): NewEvent => ({ _tag: "NodeDeleted", ...about(node) })

/**
 * The events of a node that has been created or, if `before` is the visibility that it had, changed. A change of the
 * visibility is an event of its own; any other change is an update.
 */
export const decideEvents = (
  node: Told,
  before: NodeState["visibility"] | undefined
): ReadonlyArray<NewEvent> => {
  if (before === undefined) {
    return [{ _tag: "NodeCreated", ...about(node) }, ...transition(node, undefined)]
  }
  return before === node.visibility ? [updatedEvent(node)] : transition(node, before)
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
): NewEvent => ({
  _tag: happened,
  node_id: node.id,
  node_slug: node.slug,
  version_id: id,
  author_id: authorId,
  owner_id: node.ownerId,
  standing: standingOfNode(node)
})
