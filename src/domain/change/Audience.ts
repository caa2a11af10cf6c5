/**
 * Who may be told of a change. Decided twice, and both must allow it: by what the change was about when it happened,
 * which was recorded with it, and by what the caller may read now. Pure.
 */
import { maySee } from "../calendar/CalendarRules.ts"
import type { CalendarStanding, PostStanding, Standing } from "../event/Standing.ts"
import { mayReadLibrary, mayReadNode, type NodeStanding } from "../library/NodeRules.ts"
import type { NodeVersionStatus } from "../library/NodeVersion.ts"
import { mayFindVersions, maySeeVersion } from "../library/VersionRules.ts"
import { type AccountActor, type Actor, accountIdOf, holds } from "../shared/Actor.ts"
import type { AccountId, CalendarEventId, NodeId, NodeVersionId, PostId } from "../shared/Id.ts"
import type { Permission } from "../shared/Permission.ts"
import type { Visibility } from "../shared/Visibility.ts"
import { stateOfStanding } from "../thread/PostStanding.ts"
import type { PostState } from "../thread/PostVisibility.ts"
import { mayReadPost, mayReadThreads } from "../thread/ThreadRules.ts"

/** Who may know of something that happened, as it was recorded with it. */
export type Audience =
  /** Everybody, guests included. */
  | { readonly _tag: "Everyone" }
  /** Nobody: an event of an older release says too little. */
  | { readonly _tag: "Nobody" }
  /** Who may read the post. */
  | {
      readonly _tag: "Post"
      readonly id: PostId
      readonly threadId: PostId
      readonly standing: PostStanding
    }
  /** Who may read the page. */
  | { readonly _tag: "Node"; readonly id: NodeId; readonly standing: Standing }
  /** Who may read the version of a page: a draft, or one that has just been applied. */
  | {
      readonly _tag: "Version"
      readonly id: NodeVersionId
      readonly authorId: AccountId
      readonly node: Standing
      readonly isApplied: boolean
    }
  /** Who may see the event of the calendar. */
  | { readonly _tag: "CalendarEvent"; readonly id: CalendarEventId; readonly standing: CalendarStanding }
  /** Who may read the account and holds a permission; the account itself needs none, or is an administrator. */
  | {
      readonly _tag: "Account"
      readonly id: AccountId
      readonly permission: Permission | undefined
      readonly itself: "always" | "as administrator"
    }
  /** Who holds a permission, and an account. */
  | {
      readonly _tag: "Holders"
      readonly permission: Permission
      readonly account: AccountId | undefined
    }

/** An event of the calendar as it is, with those who take part as far as it depends on them. */
export interface EventTarget {
  readonly visibility: Visibility
  readonly hosts: ReadonlySet<AccountId>
  readonly attendees: ReadonlySet<AccountId>
}

/** A version of a page, and the page. */
export interface VersionTarget {
  readonly node: NodeStanding
  readonly authorId: AccountId
  readonly status: NodeVersionStatus
}

/** What changes are about, as it is now. What is gone has no entry. */
export interface CurrentStandings {
  readonly posts: ReadonlyMap<PostId, PostState>
  readonly nodes: ReadonlyMap<NodeId, NodeStanding>
  readonly versions: ReadonlyMap<NodeVersionId, VersionTarget>
  readonly calendarEvents: ReadonlyMap<CalendarEventId, EventTarget>
  readonly administrators: ReadonlySet<AccountId>
}

const readsPost = (post: PostState, actor: Actor) => mayReadThreads(actor) && mayReadPost(post, actor)

const readsNode = (node: NodeStanding, actor: Actor) => mayReadLibrary(actor) && mayReadNode(node, actor)

const readsVersion = ({ authorId, node, status }: VersionTarget, actor: Actor) =>
  mayReadLibrary(actor) &&
  mayFindVersions({ ...node, drafter: status === "draft" ? authorId : undefined }, actor) &&
  maySeeVersion(node, { authorId, status }, actor)

const seesEvent = ({ attendees, hosts, visibility }: EventTarget, actor: Actor) => {
  const viewer = accountIdOf(actor)
  const attends = viewer !== undefined && attendees.has(viewer) ? "attendee" : undefined
  const callerRole = viewer !== undefined && hosts.has(viewer) ? "host" : attends
  return maySee({ visibility, callerRole }, actor)
}

type AccountAudience = Extract<Audience, { readonly _tag: "Account" }>

const readsOfAccount = (
  { id, itself, permission }: AccountAudience,
  { administrators }: CurrentStandings,
  actor: AccountActor
) => {
  const isAdministrator = holds(actor, "ADMINISTRATOR")
  if (isAdministrator || id === actor.accountId) return isAdministrator || itself === "always"
  if (administrators.has(id)) return false
  return holds(actor, "VIEW_ACCOUNTS") && (permission === undefined || holds(actor, permission))
}

/** Operations on what staff read are for accounts, whatever the role of guests holds. */
const isHolder = (
  { account, permission }: Extract<Audience, { readonly _tag: "Holders" }>,
  actor: AccountActor
) => holds(actor, permission) || account === actor.accountId

/** Something before and after it changed, where it did, and as it is now. */
interface Moments<Target> {
  readonly before: Target | undefined
  readonly after: Target
  readonly now: Target | undefined
}

/**
 * Whether somebody may know of what happened to something that they read or not. Who could read it until then is told
 * that it is theirs no more. Of what is gone there is no other decision than the one that was recorded.
 */
const decideBy = <Target>(
  { after, before, now }: Moments<Target>,
  reads: (target: Target, actor: Actor) => boolean,
  actor: Actor
): boolean => {
  if (!reads(after, actor)) return before !== undefined && reads(before, actor)
  return now === undefined || reads(now, actor)
}

const reverted = <S extends Standing>({ was, ...standing }: S & { readonly was?: Visibility }) =>
  was === undefined ? undefined : { ...standing, visibility: was }

const postMoments = (
  { id, standing, threadId }: Extract<Audience, { readonly _tag: "Post" }>,
  { posts }: CurrentStandings
): Moments<PostState> => {
  const { reply, thread } = standing
  const before = reply === undefined ? reverted(thread) : reverted(reply)
  const ids = { id, threadId }
  return {
    before:
      before && stateOfStanding(ids, reply === undefined ? { thread: before } : { thread, reply: before }),
    after: stateOfStanding(ids, standing),
    now: posts.get(id)
  }
}

const nodeOf = ({ author_id, visibility }: Standing): NodeStanding => ({ ownerId: author_id, visibility })

const nodeMoments = (
  { id, standing }: Extract<Audience, { readonly _tag: "Node" }>,
  { nodes }: CurrentStandings
): Moments<NodeStanding> => {
  const before = reverted(standing)
  return { before: before && nodeOf(before), after: nodeOf(standing), now: nodes.get(id) }
}

const versionMoments = (
  { authorId, id, isApplied, node }: Extract<Audience, { readonly _tag: "Version" }>,
  { versions }: CurrentStandings
): Moments<VersionTarget> => {
  const draft: VersionTarget = { node: nodeOf(node), authorId, status: "draft" }
  return isApplied
    ? { before: draft, after: { ...draft, status: "applied" }, now: versions.get(id) }
    : { before: undefined, after: draft, now: versions.get(id) }
}

const eventMoments = (
  { id, standing }: Extract<Audience, { readonly _tag: "CalendarEvent" }>,
  { calendarEvents }: CurrentStandings
): Moments<EventTarget> => {
  const { attendees = [], hosts = [], visibility, was } = standing
  const after = { visibility, hosts: new Set(hosts), attendees: new Set(attendees) }
  return {
    before: was === undefined ? undefined : { ...after, visibility: was },
    after,
    now: calendarEvents.get(id)
  }
}

/** Whether somebody may be told of a change now. A suspended account is told of nothing. */
export const mayKnow = (audience: Audience, now: CurrentStandings, actor: Actor): boolean => {
  if (actor._tag === "Account" && actor.suspended) return false
  switch (audience._tag) {
    case "Everyone":
      return true
    case "Nobody":
      return false
    case "Post":
      return decideBy(postMoments(audience, now), readsPost, actor)
    case "Node":
      return decideBy(nodeMoments(audience, now), readsNode, actor)
    case "Version":
      return decideBy(versionMoments(audience, now), readsVersion, actor)
    case "CalendarEvent":
      return decideBy(eventMoments(audience, now), seesEvent, actor)
    case "Account":
      return actor._tag === "Account" && readsOfAccount(audience, now, actor)
    case "Holders":
      return actor._tag === "Account" && isHolder(audience, actor)
  }
}
