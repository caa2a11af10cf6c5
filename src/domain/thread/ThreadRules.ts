/** Who may read and change what in discussions. Pure. */
import { type Actor, accountIdOf, holds, type PermissionHolder } from "../shared/Actor.ts"
import type { AccountId, PostId } from "../shared/Id.ts"
import { slugWithin } from "../shared/Slug.ts"
import {
  mayRead,
  passes,
  readableAs,
  readableBy,
  type Target,
  type Visibility,
  type VisibilityFilter,
  type VisibilityPolicy
} from "../shared/Visibility.ts"
import { type PostState, replyPolicy, threadPolicy } from "./PostVisibility.ts"

/** Whether an actor reads published threads; operations on threads have this checked before they run. */
export const mayReadThreads = (actor: Actor): boolean =>
  holds(actor, "READ_PUBLISHED_THREADS") && !(actor._tag === "Account" && actor.suspended)

export const mayReadThread = (thread: Target, actor: Actor): boolean => mayRead(threadPolicy, thread, actor)

export const mayReadReply = (reply: Target, actor: Actor): boolean => mayRead(replyPolicy, reply, actor)

/** Whether a post opens its thread. */
export const isOpening = (post: PostState): boolean => post.id === post.thread.id

/** Whether somebody may read a post: in a thread that they may read, that thread's opening or a reply that they may read. */
export const mayReadPost = (post: PostState, actor: Actor): boolean =>
  mayReadThread(post.thread, actor) && (isOpening(post) || mayReadReply(post, actor))

/** Whether an account may read a post without the rights of its roles. */
export const readsAsAuthor = (post: PostState, account: AccountId): boolean =>
  passes(readableAs(threadPolicy, false), post.thread, account) &&
  (isOpening(post) || passes(readableAs(replyPolicy, false), post, account))

/** Whether a policy shows something to everyone who reads its kind. */
const isShownToReaders = (policy: VisibilityPolicy, target: Target): boolean =>
  passes(readableAs(policy, false), target, undefined)

/** Whether others than its author and moderators may read a post. */
export const isReadableByAll = (post: PostState): boolean =>
  isShownToReaders(threadPolicy, post.thread) && (isOpening(post) || isShownToReaders(replyPolicy, post))

export const moderates = (actor: PermissionHolder): boolean => holds(actor, "MANAGE_POSTS")

/** Who reads posts: a guest without an account, and whether they read what moderators do. */
export interface PostReader {
  readonly accountId: AccountId | undefined
  readonly moderates: boolean
}

/** The caller as a reader of posts; none if they may read no thread at all. */
export const postReaderOf = (actor: Actor): PostReader | undefined =>
  mayReadThreads(actor) ? { accountId: accountIdOf(actor), moderates: moderates(actor) } : undefined

export const mayChange = (target: Target, actor: Actor): boolean =>
  target.authorId === accountIdOf(actor) || moderates(actor)

const usual: ReadonlyArray<Visibility> = ["published", "review"]
const published: ReadonlyArray<Visibility> = ["published"]

/**
 * What a list shows of what was asked for; nobody is refused.
 * Without a question it shows what is published and what waits for review. Drafts
 * are listed only with those of one author: all are the viewer's own, or none is.
 */
export const decideVisibilityFilter = (
  actor: Actor,
  asked: { readonly visibility: ReadonlyArray<Visibility>; readonly ofOneAuthor: boolean }
): VisibilityFilter => {
  const readable = readableBy(threadPolicy, actor)
  const wanted = asked.visibility.length === 0 ? usual : asked.visibility
  const narrowed = (visibilities: ReadonlyArray<Visibility>) =>
    wanted.filter((visibility) => visibilities.includes(visibility))
  if (moderates(actor)) return { others: narrowed(readable.others), own: narrowed(readable.own) }
  const showsOwn = asked.visibility.length === 0 || asked.ofOneAuthor
  return { others: published, own: showsOwn ? narrowed(readable.own) : published }
}

// Of the part of a slug that follows the id, so that addresses with it stay short.
const slugLength = 100

/** The name of a thread in addresses, made of its first title. */
export const threadSlug = (id: PostId, title: string): string => {
  const words = slugWithin(title, slugLength)
  return words === "" ? id : `${id}-${words}`
}

/** Whether a thread lacks a title that it needs: only a draft may be without one. */
export const lacksTitle = (title: string, visibility: Visibility): boolean =>
  title === "" && visibility !== "draft"

/** The slug that a thread gets with its first title; none if it keeps the one that it has. */
export const firstSlug = (
  id: PostId,
  before: { readonly title: string; readonly slug: string },
  title: string
): string | undefined => (before.title === "" && before.slug === id ? threadSlug(id, title) : undefined)

/** The text whose length is limited when a post changes: the one that is published, whichever request publishes it. */
export const textToCheck = <Text>(
  before: Visibility,
  after: Visibility,
  text: Text | undefined
): Text | "stored" | "none" => {
  if (after !== "published") return "none"
  if (text !== undefined) return text
  return before === "published" ? "none" : "stored"
}

/** What moderation does with the text that a post has already, when only its visibility changes. */
export type StoredFilter = "nothing" | "block" | "block and hold"

/**
 * How moderation filters the text that a post has already. What becomes readable by all for the first time is filtered,
 * also if an earlier request brought the text. What was held is not held again, as its author may publish it. What a
 * moderator publishes is what they want.
 */
export const storedFilter = (before: Visibility, after: Visibility, byModerator: boolean): StoredFilter => {
  if (after !== "published" || before === "published" || byModerator) return "nothing"
  return before === "review" ? "block" : "block and hold"
}

/** The change of the number of published threads when one thread changes. */
export const publishedChange = (
  before: Visibility | undefined,
  after: Visibility | undefined
): -1 | 0 | 1 => {
  if ((before === "published") === (after === "published")) return 0
  return after === "published" ? 1 : -1
}
