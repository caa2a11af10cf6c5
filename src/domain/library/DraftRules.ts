/** What of a page changes only by applying its draft, while it has one (specification 3.1). Pure. */
import { Result } from "effect"
import { type NodeChanges, NodeDraftExists, versionedKeys } from "./Node.ts"
import type { NodeState } from "./NodeState.ts"

/** Whether a request changes what versions have; whether to the same makes no difference. */
export const changesVersioned = (changes: NodeChanges): boolean =>
  versionedKeys.some((key) => changes[key] !== undefined)

/** Whether a page may be changed like this now. */
export const checkDraft = (
  { hasDraft, id }: Pick<NodeState, "hasDraft" | "id">,
  changes: NodeChanges
): Result.Result<void, NodeDraftExists> =>
  hasDraft && changesVersioned(changes)
    ? Result.fail(new NodeDraftExists({ metadata: { node_id: id } }))
    : Result.void
