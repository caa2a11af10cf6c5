import type { AccountId, NodeId, NodeVersionId } from "../shared/Id.ts"
import type { Visibility } from "../shared/Visibility.ts"
import type { NodeStanding } from "./NodeRules.ts"

/** What the rules know of a page. */
export interface NodeState {
  readonly id: NodeId
  readonly slug: string
  readonly name: string
  readonly ownerId: AccountId
  readonly visibility: Visibility
  /** The page that contains it. */
  readonly parentId: NodeId | undefined
  /** Whose that page is, and how visible. */
  readonly above: NodeStanding | undefined
  readonly currentVersionId: NodeVersionId | undefined
  /** Whose draft it has, if it has one. */
  readonly drafter: AccountId | undefined
}
