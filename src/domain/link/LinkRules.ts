/**
 * Who may read which links. A link is public if it was added, or stands in something that is public; others read it
 * as far as they read what it stands in. So the policies of threads, replies and pages decide, and nothing else. Pure.
 */
import { type LibraryReader, managesLibrary, mayReadLibrary } from "../library/NodeRules.ts"
import { type Actor, accountIdOf } from "../shared/Actor.ts"
import { type PostReader, postReaderOf } from "../thread/ThreadRules.ts"

/** Who reads links: as which reader of each kind of thing that links stand in; none of those not read at all. */
export interface LinkReader {
  readonly posts: PostReader | undefined
  readonly library: LibraryReader | undefined
}

export const linkReaderOf = (actor: Actor): LinkReader => ({
  posts: postReaderOf(actor),
  library: mayReadLibrary(actor)
    ? { accountId: accountIdOf(actor), manages: managesLibrary(actor) }
    : undefined
})

/** Whether there is nothing but public links for a reader: a guest without the rights of staff. */
export const readsOnlyPublic = ({ library, posts }: LinkReader): boolean =>
  posts?.accountId === undefined &&
  library?.accountId === undefined &&
  posts?.moderates !== true &&
  library?.manages !== true
