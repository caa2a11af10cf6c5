import { room } from "../answer/AnswerRoom.ts"
import type { Timestamp } from "../field/Resource.ts"
import { type Actor, accountIdOf } from "../shared/Actor.ts"
import type { CategoryId, LinkId, PostId, TagId } from "../shared/Id.ts"
import { readableBy, type Target } from "../shared/Visibility.ts"
import { replyPolicy } from "./PostVisibility.ts"
import type { ReplySelection, ViewerState } from "./ThreadContent.ts"
import { moderates } from "./ThreadRules.ts"

/** Replies on a page of a thread, and threads on a page of a list, unless they are very long. */
export const pageSize = 50

/**
 * Replies on each page of a thread: as many as fit beside the opening post if all were as long as the longest,
 * and answered others as long. The same for all pages, so that they follow each other.
 */
export const repliesOnPage = ({
  openingWeight,
  replyWeight
}: Pick<ThreadSummary, "openingWeight" | "replyWeight">): number => {
  const fitting = Math.floor((room - openingWeight) / (2 * Math.max(1, replyWeight)))
  return Math.min(pageSize, Math.max(1, fitting))
}

/** What is read of each undeleted thread in a list before its texts, for a viewer. */
export interface ListedSummary extends Target {
  readonly id: PostId
  /** Changes whenever anything changes that the thread shows to everyone. */
  readonly version: string
  /** Changes whenever any profile does; part of `version`. */
  readonly peopleVersion: string
  /** Changes whenever any category or tag does. */
  readonly tagsAndCategoriesVersion: string
  readonly categoryId: CategoryId | undefined
  /** The link that the thread is about. */
  readonly linkId: LinkId | undefined
  readonly tagIds: ReadonlyArray<TagId>
  readonly pinned: number
  readonly lastReplyAt: Date | undefined
  readonly counts: {
    /** How many replies are not deleted. */
    readonly replies: number
    /** How many of these replies only moderators read, and in some cases their authors. */
    readonly unpublished: number
  }
  /** About how many bytes its opening post and its tags take in answers. */
  readonly openingWeight: number
  /** How many collections contain it. */
  readonly inCollections: number
  /** What the viewer has of it, whatever their rights. */
  readonly state: {
    readonly lastReadAt: Timestamp | undefined
    /** How many of its replies are the viewer's. */
    readonly replied: number
    /** How many unpublished replies the viewer reads as their author. */
    readonly ownUnpublished: number
    /** How many unpublished replies of the viewer they may read as moderators only. */
    readonly ownHidden: number
    /** How many replies others made after the viewer had read the thread, and how many of these are not published. */
    readonly newReplies: number
    readonly newUnpublished: number
    /** How many replies of others the viewer could not find when they read the thread, as they were published later. */
    readonly newlyPublished: number
    /** Whether a collection of the viewer contains it. */
    readonly hasCollected: boolean
  }
  /** Whether the viewer likes anything in it. */
  readonly hasLikes: boolean
}

/** What is read of an undeleted thread before its page, for a viewer. */
export interface ThreadSummary extends ListedSummary {
  /** How many replies were ever made, also those that are deleted. */
  readonly repliesMade: number
  /** About how many bytes the heaviest reply takes in answers. */
  readonly replyWeight: number
}

/** About how many bytes a tag takes in an answer. */
export const tagSize = 200

const seesAll = (summary: ListedSummary, actor: Actor) => summary.counts.unpublished === 0 || moderates(actor)

/** Who reads the same replies of a thread as the viewer; absent, nobody else. */
export const audienceOf = (summary: ThreadSummary, actor: Actor): "all" | "staff" | "readers" | undefined => {
  if (summary.counts.unpublished === 0) return "all"
  if (moderates(actor)) return "staff"
  return summary.state.ownUnpublished === 0 ? "readers" : undefined
}

/** Which replies of a thread the viewer reads. */
export const repliesFor = (summary: ListedSummary, actor: Actor): ReplySelection => {
  const { replies, unpublished } = summary.counts
  return seesAll(summary, actor)
    ? { count: replies, only: undefined }
    : {
        count: replies - unpublished + summary.state.ownUnpublished,
        only: { filter: readableBy(replyPolicy, actor), viewer: accountIdOf(actor) }
      }
}

/** What the viewer is shown of their own state, and of the replies that they may read. */
export const stateFor = (summary: ListedSummary, actor: Actor): ViewerState => {
  const { hasCollected, lastReadAt, newlyPublished, newReplies, newUnpublished, ownHidden, replied } =
    summary.state
  const readable = seesAll(summary, actor) ? newReplies : newReplies - newUnpublished
  return {
    hasCollected,
    lastReadAt,
    replied: seesAll(summary, actor) ? replied : replied - ownHidden,
    replies: seesAll(summary, actor) ? undefined : repliesFor(summary, actor).count,
    // Moderators found the others before.
    repliesSince: moderates(actor) ? readable : readable + newlyPublished
  }
}
