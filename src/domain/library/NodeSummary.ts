import { type Actor, accountIdOf } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import { managesLibrary, type NodeStanding } from "./NodeRules.ts"

/** What is read of a page before what it shows, for a viewer. */
export interface NodeSummary extends NodeStanding {
  readonly id: NodeId
  /** The page that contains it, if the viewer may see that. */
  readonly parentId: NodeId | undefined
  /** Differs for every two answers that differ, whoever they are for. */
  readonly version: string
  /** Whether it shows a child that the viewer sees as its owner only. */
  readonly showsOwn: boolean
}

/** Who is shown the same: nearly always all who hold the same rights. */
export const audienceOf = ({ showsOwn }: NodeSummary, actor: Actor): string => {
  if (showsOwn) return accountIdOf(actor) ?? "guest"
  return managesLibrary(actor) ? "staff" : "readers"
}
