/** Who may see and change what in discussions. Pure: everything else asks here. */
import { type Actor, accountIdOf, holds } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import type { Visibility } from "../shared/Visibility.ts"

/** What the rules look at of a thread or a reply. */
export interface Target {
  readonly authorId: AccountId
  readonly visibility: Visibility
}

const isOwn = (subject: Target, actor: Actor) => subject.authorId === accountIdOf(actor)

const moderates = (actor: Actor) => holds(actor, "MANAGE_POSTS")

/** A thread before it is published is its author's and the moderators'. */
export const mayReadThread = (thread: Target, actor: Actor): boolean =>
  thread.visibility === "published" || isOwn(thread, actor) || moderates(actor)

/** Of replies that are not published, authors see only those held for review. */
export const mayReadReply = (reply: Target, actor: Actor): boolean =>
  reply.visibility === "published" ||
  moderates(actor) ||
  (reply.visibility === "review" && isOwn(reply, actor))

export const mayChange = (subject: Target, actor: Actor): boolean => isOwn(subject, actor) || moderates(actor)

/** The visibilities that a list shows: of threads that others wrote, and of those that the caller wrote. */
export interface VisibilityFilter {
  readonly others: ReadonlyArray<Visibility>
  readonly own: ReadonlyArray<Visibility>
}

const published: ReadonlyArray<Visibility> = ["published"]
const publishedAndReview: ReadonlyArray<Visibility> = ["published", "review"]

/**
 * Narrows what a list was asked for to what the caller may see; nobody is
 * refused (contract: content 3.2). Whose threads were asked for need not be
 * known: of one author, all are the caller's own or none is.
 */
export const decideVisibilityFilter = (
  actor: Actor,
  asked: { readonly visibility: ReadonlyArray<Visibility>; readonly ofOneAuthor: boolean }
): VisibilityFilter => {
  const isAny = asked.visibility.length === 0
  if (moderates(actor)) {
    const all = isAny ? publishedAndReview : asked.visibility
    return { others: all, own: all }
  }
  if (isAny) return { others: published, own: publishedAndReview }
  return { others: published, own: asked.ofOneAuthor ? asked.visibility : published }
}

/** What becomes of the count of published threads when one changes. */
export const publishedChange = (
  before: Visibility | undefined,
  after: Visibility | undefined
): -1 | 0 | 1 => {
  if ((before === "published") === (after === "published")) return 0
  return after === "published" ? 1 : -1
}
