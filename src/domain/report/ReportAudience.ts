/** What those who manage reports are shown of what is reported. Pure. */
import { mayReadLibrary, mayReadNode, type NodeStanding } from "../library/NodeRules.ts"
import type { NewNotification } from "../notification/NotificationStore.ts"
import { type AccountActor, holds } from "../shared/Actor.ts"
import type { AccountId, NodeId } from "../shared/Id.ts"
import type { Permission } from "../shared/Permission.ts"
import type { PostState } from "../thread/PostVisibility.ts"
import { mayReadPost } from "../thread/ThreadRules.ts"

/** Somebody who manages reports, with all that their roles permit. */
export interface ReportManager {
  readonly accountId: AccountId
  readonly permissions: ReadonlySet<Permission>
}

/** Something that is reported, as long as it is there. */
export type Reported =
  | { readonly kind: "post"; readonly post: PostState }
  | { readonly kind: "node"; readonly id: NodeId; readonly standing: NodeStanding }
  | { readonly kind: "profile"; readonly id: AccountId }

/** What a notification shows; nothing at all, if it has none of these. */
export type ShownItem = Pick<NewNotification, "postId" | "nodeId" | "profileId">

const nothing: ShownItem = {}

/** The caller that a manager of reports would be in a request now. */
const callerOf = ({ accountId, permissions }: ReportManager): AccountActor => ({
  _tag: "Account",
  accountId,
  permissions,
  suspended: false,
  credential: "cookie"
})

/** What is reported, if it is there and the manager may read it. Of the report itself all of them are told. */
export const decideShown = (reported: Reported | undefined, manager: ReportManager): ShownItem => {
  const caller = callerOf(manager)
  switch (reported?.kind) {
    case "post":
      return mayReadPost(reported.post, caller) ? { postId: reported.post.id } : nothing
    case "node":
      return mayReadLibrary(caller) && mayReadNode(reported.standing, caller)
        ? { nodeId: reported.id }
        : nothing
    case "profile":
      return reported.id === manager.accountId || holds(caller, "READ_PROFILE")
        ? { profileId: reported.id }
        : nothing
    case undefined:
      return nothing
  }
}
