import type { AccountId, NodeId, NodeVersionId } from "../shared/Id.ts"
import type { Visibility } from "../shared/Visibility.ts"

/** What the rules know of a page. */
export interface NodeState {
  readonly id: NodeId
  readonly slug: string
  readonly name: string
  readonly ownerId: AccountId
  readonly visibility: Visibility
  /** The page that contains it. */
  readonly parentId: NodeId | undefined
  readonly currentVersionId: NodeVersionId | undefined
  readonly hasDraft: boolean
}
