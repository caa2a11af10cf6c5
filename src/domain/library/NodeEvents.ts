/** Which events tell of what has happened to a page. Pure. */
import type { DomainEvent } from "../event/DomainEvent.ts"
import type { NodeState } from "./NodeState.ts"

type Told = Pick<NodeState, "id" | "slug" | "visibility">

/** What another visibility of a page means to others. Drafts and unlisted pages are the same to them. */
const transition = (node: Told, before: NodeState["visibility"] | undefined): ReadonlyArray<DomainEvent> => {
  const { id, slug, visibility } = node
  if (visibility === "published") return [{ _tag: "NodePublished", id, slug }]
  if (visibility === "review") return [{ _tag: "NodeSubmittedForReview", id, slug }]
  return before === "published" ? [{ _tag: "NodeUnpublished", id, slug }] : []
}

/**
 * The events of a page that has been created or, if there is a visibility that it had, changed: its visibility, if it has
 * another one now, which is a change of its own, or else what it says or where it is.
 */
export const decideEvents = (
  node: Told,
  before: NodeState["visibility"] | undefined
): ReadonlyArray<DomainEvent> => {
  const { id, slug } = node
  if (before === undefined) return [{ _tag: "NodeCreated", id, slug }, ...transition(node, before)]
  return before === node.visibility ? [{ _tag: "NodeUpdated", id, slug }] : transition(node, before)
}
