/** Who may change collections, what becomes of what is added to them, and who sees it. Pure. */
import { managesLibrary, mayReadLibrary } from "../library/NodeRules.ts"
import { type Actor, accountIdOf, holds } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { moderates } from "../thread/ThreadRules.ts"
import {
  type ItemState,
  isReadableBy,
  isReadableByAll,
  makerOf,
  readsAsMaker,
  readsKind,
  readsPosts
} from "./Collectable.ts"
import type { MembershipType } from "./Collection.ts"

/** A collection, as far as the rules depend on it. */
export interface Owned {
  readonly ownerId: AccountId
}

/** An item of a collection, or what was submitted to it. */
export interface Membership {
  readonly type: MembershipType
  /** Who added the item; absent if the account is gone. */
  readonly addedBy: AccountId | undefined
}

const owns = ({ ownerId }: Owned, actor: Actor): boolean => ownerId === accountIdOf(actor)

const wasAddedBy = ({ addedBy }: Membership, actor: Actor): boolean =>
  addedBy !== undefined && addedBy === accountIdOf(actor)

export const mayManage = (collection: Owned, actor: Actor): boolean =>
  owns(collection, actor) || holds(actor, "MANAGE_COLLECTIONS")

/** Whether a caller may read an item: posts if they may read threads at all, nodes if they may read the library. */
export const mayReadItem = (item: ItemState, actor: Actor): boolean =>
  readsKind(item, actor) && isReadableBy(item, actor)

export type Addition = "add" | "submit" | "accept" | "nothing"

/**
 * What becomes of an item that somebody adds who may read it. Only the owner's own addition makes it an item
 * or accepts it: what others do again changes nothing, staff included.
 */
export const decideAddition = (
  collection: Owned,
  actor: Actor,
  membership: Membership | undefined
): Addition => {
  if (membership === undefined) return owns(collection, actor) ? "add" : "submit"
  return owns(collection, actor) && membership.type === "submission_review" ? "accept" : "nothing"
}

export type Removal = "remove" | "nothing" | "refused" | "unknown"

/**
 * What becomes of an item that somebody removes. Who submitted it may withdraw it until it is accepted. What the
 * caller has nothing to do with is unknown to them unless they may read it.
 */
export const decideRemoval = (
  collection: Owned,
  actor: Actor,
  membership: Membership | undefined,
  mayRead: boolean
): Removal => {
  if (membership === undefined && !mayRead) return "unknown"
  if (mayManage(collection, actor)) return membership === undefined ? "nothing" : "remove"
  if (membership?.type === "submission_review" && wasAddedBy(membership, actor)) return "remove"
  return mayRead ? "refused" : "unknown"
}

/**
 * Whether an item is shown to a reader of its collection. Its owner and administrators see all that they may read, and
 * what a submitter shows them by submitting: a draft of theirs, for example. Others see what everyone may
 * read, as soon as it is accepted, and what they made themselves, as far as they may read it. A statement counts by the
 * same rule (`ShownItemsSql.ts`).
 */
export const mayShow = (
  collection: Owned,
  membership: Membership,
  item: ItemState,
  actor: Actor
): boolean => {
  if (!readsKind(item, actor)) return false
  if (owns(collection, actor) || holds(actor, "ADMINISTRATOR")) {
    const { addedBy } = membership
    return isReadableBy(item, actor) || (addedBy !== undefined && readsAsMaker(item, addedBy))
  }
  if (makerOf(item) === accountIdOf(actor)) return isReadableBy(item, actor)
  return membership.type !== "submission_review" && isReadableByAll(item)
}

/** Whether somebody may add an item: one that they may read, or that the collection shows them. */
export const mayAdd = (
  collection: Owned,
  membership: Membership | undefined,
  item: ItemState,
  actor: Actor
): boolean =>
  mayReadItem(item, actor) || (membership !== undefined && mayShow(collection, membership, item, actor))

/** Who looks at collections, as far as it decides which items they see. */
export interface CollectionViewer {
  readonly accountId: AccountId | undefined
  readonly seesAll: boolean
  readonly readsPosts: boolean
  readonly moderates: boolean
  readonly readsNodes: boolean
  readonly managesLibrary: boolean
}

export const viewerOf = (actor: Actor): CollectionViewer => ({
  accountId: accountIdOf(actor),
  seesAll: holds(actor, "ADMINISTRATOR"),
  readsPosts: readsPosts(actor),
  moderates: moderates(actor),
  readsNodes: mayReadLibrary(actor),
  managesLibrary: managesLibrary(actor)
})
