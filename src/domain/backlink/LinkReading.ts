/**
 * Who may read which links. A link is public if it was added, or stands in something that is public; others read it
 * as far as they read what it stands in. So the policies of threads, replies and nodes decide, and nothing else. Pure.
 */
import { managesLibrary, mayReadLibrary } from "../library/NodeRules.ts"
import type { LinkReader } from "../link/LinkStore.ts"
import { type Actor, accountIdOf } from "../shared/Actor.ts"
import { postReaderOf } from "../thread/ThreadRules.ts"

export const linkReaderOf = (actor: Actor): LinkReader => ({
  posts: postReaderOf(actor),
  library: mayReadLibrary(actor)
    ? { accountId: accountIdOf(actor), manages: managesLibrary(actor) }
    : undefined
})
