/** Who may read and change nodes. Pure. */
import { Result } from "effect"
import { type Actor, accountIdOf, holds, type PermissionHolder } from "../shared/Actor.ts"
import type { AccountId, NodeId, NodeVersionId } from "../shared/Id.ts"
import {
  mayRead,
  passes,
  policyText,
  readableAs,
  readableBy,
  type Visibility,
  type VisibilityFilter,
  type VisibilityPolicy
} from "../shared/Visibility.ts"
import { NodeNotYours } from "./NodeProblems.ts"

/** Who reads a node, by its visibility. Managers of the library read what awaits review, but no drafts of others. */
export const nodePolicy: VisibilityPolicy = {
  staff: "MANAGE_LIBRARY",
  audience: {
    draft: ["author"],
    unlisted: ["author"],
    review: ["author", "staff"],
    published: ["readers"]
  }
}

export const nodeAudience = `Who may see it: ${policyText(nodePolicy, { author: "its owner", readers: "everyone who may read the library" })}.`

/** Whose a node is, and how visible it is. */
export interface NodeStanding {
  readonly ownerId: AccountId
  readonly visibility: Visibility
}

/** What the rules know of a node. */
export interface NodeState {
  readonly id: NodeId
  readonly slug: string
  readonly name: string
  readonly ownerId: AccountId
  readonly visibility: Visibility
  /** The node that contains it. */
  readonly parentId: NodeId | undefined
  /** The owner and visibility of the node that contains it. */
  readonly above: NodeStanding | undefined
  readonly currentVersionId: NodeVersionId | undefined
  /** The author of the node's draft, if it has one. */
  readonly drafter: AccountId | undefined
}

export const managesLibrary = (actor: PermissionHolder): boolean => holds(actor, "MANAGE_LIBRARY")

/** Whether a caller may read the library. Operations on nodes have it checked before; others that show nodes ask. */
export const mayReadLibrary = (actor: Actor): boolean =>
  holds(actor, "READ_PUBLISHED_LIBRARY") && !(actor._tag === "Account" && actor.suspended)

/** Who reads nodes: a guest without an account, and whether they read what managers of the library do. */
export interface LibraryReader {
  readonly accountId: AccountId | undefined
  readonly manages: boolean
}

export const mayReadNode = ({ ownerId, visibility }: NodeStanding, actor: Actor): boolean =>
  mayRead(nodePolicy, { authorId: ownerId, visibility }, actor)

/** Whether an account may read a node without the rights of its roles. */
export const readsAsOwner = ({ ownerId, visibility }: NodeStanding, account: AccountId): boolean =>
  passes(readableAs(nodePolicy, false), { authorId: ownerId, visibility }, account)

/** Whether others than its owner and managers of the library may read a node. */
export const isReadableByAll = ({ ownerId, visibility }: NodeStanding): boolean =>
  passes(readableAs(nodePolicy, false), { authorId: ownerId, visibility }, undefined)

/** What the caller may see of any group of nodes. */
export const readableNodes = (actor: Actor): VisibilityFilter => readableBy(nodePolicy, actor)

/** Whether the caller may change the node; not limited by who may read it. */
export const mayChangeNode = ({ ownerId }: Pick<NodeStanding, "ownerId">, actor: Actor): boolean =>
  ownerId === accountIdOf(actor) || managesLibrary(actor)

/** Whether the caller may know of a node that an answer would show. */
export const mayMeet = (node: NodeStanding, actor: Actor): boolean =>
  mayChangeNode(node, actor) || (mayReadLibrary(actor) && mayReadNode(node, actor))

export const checkMayChange = (
  node: Pick<NodeStanding, "ownerId">,
  actor: Actor
): Result.Result<void, NodeNotYours> =>
  mayChangeNode(node, actor) ? Result.void : Result.fail(new NodeNotYours())

/** What is read of a node before what it shows, for a viewer. */
export interface NodeSummary extends NodeStanding {
  readonly id: NodeId
  /** The node that contains it, if the viewer may see that. */
  readonly parentId: NodeId | undefined
  /** A version of the node's answer: answers that differ have different ones, whoever they are for. */
  readonly version: string
  /** Whether it shows a child that the viewer sees as its owner only. */
  readonly showsOwn: boolean
}

/** Who is shown the same answer as this caller: nearly always all who hold the same rights. */
export const audienceOf = ({ showsOwn }: NodeSummary, actor: Actor): string => {
  if (showsOwn) return accountIdOf(actor) ?? "guest"
  return managesLibrary(actor) ? "staff" : "readers"
}
