/** Which events tell of what has happened to a page. Pure. */
import type { DomainEvent } from "../event/DomainEvent.ts"
import type { NodeState } from "./NodeState.ts"

type Told = Pick<NodeState, "id" | "slug" | "visibility">

/** What a page's visibility now means to others, if it has changed. */
const transition = (node: Told, before: NodeState["visibility"] | undefined): ReadonlyArray<DomainEvent> => {
  const { id, slug, visibility } = node
  if (visibility === before) return []
  if (visibility === "published") return [{ _tag: "NodePublished", id, slug }]
  if (visibility === "review") {
    const submitted: DomainEvent = { _tag: "NodeSubmittedForReview", id, slug }
    return before === "published" ? [{ _tag: "NodeUnpublished", id, slug }, submitted] : [submitted]
  }
  return before === "published" ? [{ _tag: "NodeUnpublished", id, slug }] : []
}

/** The events of a page that has been created or, if there is a visibility that it had, changed. */
export const decideEvents = (
  node: Told,
  before: NodeState["visibility"] | undefined
): ReadonlyArray<DomainEvent> => {
  const { id, slug } = node
  const happened: DomainEvent = { _tag: before === undefined ? "NodeCreated" : "NodeUpdated", id, slug }
  return [happened, ...transition(node, before)]
}
