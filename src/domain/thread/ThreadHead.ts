import type { CategoryId, LinkId, PostId } from "../shared/Id.ts"
import type { Timestamp } from "../shared/Resource.ts"
import type { Target } from "../shared/Visibility.ts"
import type { ViewerState } from "./ThreadContent.ts"

/** An undeleted thread, for a viewer. */
export interface ThreadHead extends Target {
  readonly id: PostId
  /** Changes whenever anything changes that the thread shows to everyone. */
  readonly version: string
  /** Changes whenever any profile does; part of `version`. */
  readonly peopleVersion: string
  readonly category: { readonly id: CategoryId; readonly version: string } | undefined
  /** The link that the thread is about. */
  readonly linkId: LinkId | undefined
  readonly pinned: number
  readonly lastReplyAt: Timestamp | undefined
  readonly counts: {
    /** Undeleted replies. */
    readonly replies: number
    /** Every reply there ever was. */
    readonly made: number
  }
  readonly state: ViewerState
  /** Whether the viewer likes anything in it. */
  readonly hasLikes: boolean
}
