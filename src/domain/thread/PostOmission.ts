/** What a list without pages leaves out of posts that do not fit into it. Pure. */
import { Struct } from "effect"
import type { Post, PostInPart } from "./Post.ts"
import type { Thread, ThreadInPart } from "./Thread.ts"

/** The parts of a post that a list may leave out, from what it keeps longest to what goes first. */
export const postParts = { meta: ["meta"], reacts: ["reacts"], text: ["body", "body_links"] } as const

export type PostPart = keyof typeof postParts
/** A field that a post in a list may lack. */
export type OmittedPostField = (typeof postParts)[PostPart][number]

export const postPartNames = ["meta", "reacts", "text"] as const

/** How many parts a post has without its text. */
export const withoutText = 2
export const allParts = postPartNames.length

/** The post without these fields, which it names instead: nobody takes them for empty. */
export const leavingOut = (post: Post, omitted: ReadonlyArray<OmittedPostField>): PostInPart =>
  omitted.length === 0 ? post : { ...Struct.omit(post, omitted), misc: { omitted } }

/** A field that a thread in a list may lack. Its tags go with the reactions. */
export type OmittedThreadField = OmittedPostField | "tags"

export const leavingOutOfThread = (
  thread: Thread,
  omitted: ReadonlyArray<OmittedThreadField>
): ThreadInPart => (omitted.length === 0 ? thread : { ...Struct.omit(thread, omitted), misc: { omitted } })
