/** Who may read and change pages of the library. Pure. */
import { Result } from "effect"
import { type Actor, accountIdOf, holds } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import {
  mayRead,
  readableBy,
  type Visibility,
  type VisibilityFilter,
  type VisibilityPolicy
} from "../shared/Visibility.ts"
import { NodeNotYours } from "./Node.ts"

/** Whose a page is, and how visible it is. */
export interface NodeStanding {
  readonly ownerId: AccountId
  readonly visibility: Visibility
}

/** Managers of the library read what awaits their review, and no drafts of others. */
export const nodePolicy: VisibilityPolicy = {
  staff: "MANAGE_LIBRARY",
  audience: {
    draft: ["author"],
    unlisted: ["author"],
    review: ["author", "staff"],
    published: ["readers"]
  }
}

export const managesLibrary = (actor: Actor): boolean => holds(actor, "MANAGE_LIBRARY")

/** Operations on pages have READ_PUBLISHED_LIBRARY checked before they run; what shows pages elsewhere asks this. */
export const mayReadLibrary = (actor: Actor): boolean =>
  holds(actor, "READ_PUBLISHED_LIBRARY") && !(actor._tag === "Account" && actor.suspended)

export const mayReadNode = ({ ownerId, visibility }: NodeStanding, actor: Actor): boolean =>
  mayRead(nodePolicy, { authorId: ownerId, visibility }, actor)

/** What the caller may see of any group of pages. */
export const readableNodes = (actor: Actor): VisibilityFilter => readableBy(nodePolicy, actor)

/** Whether the caller may change the page; not limited by who may read it. */
export const mayChangeNode = ({ ownerId }: Pick<NodeStanding, "ownerId">, actor: Actor): boolean =>
  ownerId === accountIdOf(actor) || managesLibrary(actor)

export const checkMayChange = (
  node: Pick<NodeStanding, "ownerId">,
  actor: Actor
): Result.Result<void, NodeNotYours> =>
  mayChangeNode(node, actor) ? Result.void : Result.fail(new NodeNotYours())
