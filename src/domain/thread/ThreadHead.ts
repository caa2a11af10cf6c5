import type { PostId } from "../shared/Id.ts"
import type { Target } from "../shared/Visibility.ts"
import type { ViewerState } from "./ThreadContent.ts"

/** An undeleted thread, for a viewer. */
export interface ThreadHead extends Target {
  readonly id: PostId
  /** Changes whenever anything changes that the thread shows to everyone. */
  readonly version: string
  /** Changes whenever any profile does; part of `version`. */
  readonly peopleVersion: string
  readonly counts: ReplyCounts
  readonly state: ViewerState
  /** Whether the viewer likes anything in it. */
  readonly hasLikes: boolean
}

export interface ReplyCounts {
  /** Undeleted replies. */
  readonly replies: number
  /** Every reply there ever was. */
  readonly made: number
}
