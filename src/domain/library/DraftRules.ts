/** What of a node changes only by applying its draft, while it has one (specification 3.1). Pure. */
import { Result } from "effect"
import { type NodeChanges, NodeDraftExists, versionedKeys } from "./Node.ts"
import type { NodeState } from "./NodeRules.ts"

/** Whether a request changes what versions have; whether to the same makes no difference. */
export const changesVersioned = (changes: NodeChanges): boolean =>
  versionedKeys.some((key) => changes[key] !== undefined)

export const draftExists = ({ id }: Pick<NodeState, "id">) =>
  new NodeDraftExists({ metadata: { node_id: id } })

/** Whether a node may be changed like this now. */
export const checkDraft = (
  node: Pick<NodeState, "drafter" | "id">,
  changes: NodeChanges
): Result.Result<void, NodeDraftExists> =>
  node.drafter !== undefined && changesVersioned(changes) ? Result.fail(draftExists(node)) : Result.void
