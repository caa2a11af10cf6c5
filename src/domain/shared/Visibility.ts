/** Who may read something, by its visibility: one policy per resource, from which every decision derives. Pure. */
import { Schema } from "effect"
import { type Actor, accountIdOf, holds } from "./Actor.ts"
import type { AccountId } from "./Id.ts"
import type { Permission } from "./Permission.ts"

/** How visible a post, page or event is. */
export const Visibility = Schema.Literals(["draft", "unlisted", "review", "published"]).annotate({
  identifier: "Visibility",
  description: "How visible something is. What has it says who may see it then."
})
export type Visibility = typeof Visibility.Type

/** What a policy decides on: who made something, and how visible it is. */
export interface Target {
  readonly authorId: AccountId
  readonly visibility: Visibility
}

/** Everyone who may read the resource at all; its author; holders of the policy's permission. */
export type Audience = "readers" | "author" | "staff"

export interface VisibilityPolicy {
  readonly staff: Permission
  readonly audience: { readonly [V in Visibility]: ReadonlyArray<Audience> }
}

const listed = (words: ReadonlyArray<string>, conjunction: "and" | "or"): string =>
  [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(` ${conjunction} `)

/** Says who may see something, as the decisions have it. */
export const audienceText = <A extends string>(
  audience: { readonly [V in Visibility]: ReadonlyArray<A> },
  words: { readonly [One in A]: string }
): string => {
  const whoSees = (visibility: Visibility) =>
    listed(
      audience[visibility].map((one) => words[one]),
      "and"
    )
  const groups = new Set(Visibility.literals.map(whoSees))
  return Array.from(groups, (who) => {
    const ones = Visibility.literals.filter((visibility) => whoSees(visibility) === who)
    return `${who} if ${listed(
      ones.map((one) => `\`${one}\``),
      "or"
    )}`
  }).join("; ")
}

/** Says who may see a resource, by its visibility, as a policy has it. */
export const policyText = (
  policy: VisibilityPolicy,
  words: { readonly author: string; readonly readers: string }
): string => audienceText(policy.audience, { ...words, staff: `holders of ${policy.staff}` })

/** Visibilities, of what others made and of what the viewer made. */
export interface VisibilityFilter {
  readonly others: ReadonlyArray<Visibility>
  readonly own: ReadonlyArray<Visibility>
}

/** Everything that a policy lets an account read, or a guest: who has nothing of their own. */
export const readableAs = (policy: VisibilityPolicy, isStaff: boolean): VisibilityFilter => {
  const groups: ReadonlyArray<Audience> = isStaff ? ["readers", "staff"] : ["readers"]
  const visibleTo = (audiences: ReadonlyArray<Audience>) =>
    Visibility.literals.filter((visibility) =>
      policy.audience[visibility].some((audience) => audiences.includes(audience))
    )
  return { others: visibleTo(groups), own: visibleTo([...groups, "author"]) }
}

/** Everything that a policy lets the caller of a request read. */
export const readableBy = (policy: VisibilityPolicy, actor: Actor): VisibilityFilter =>
  readableAs(policy, holds(actor, policy.staff))

/** Whether a filter passes what an account made, for this viewer. */
export const passes = ({ others, own }: VisibilityFilter, target: Target, viewer: AccountId | undefined) =>
  (target.authorId === viewer ? own : others).includes(target.visibility)

export const mayRead = (policy: VisibilityPolicy, target: Target, actor: Actor): boolean =>
  passes(readableBy(policy, actor), target, accountIdOf(actor))
