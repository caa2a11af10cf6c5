/** What must not compile. Each comment fails the type check once its line compiles. */
import { Effect } from "effect"
import type { Client } from "../../src/client/Client.ts"

export const mistakes = (forum: Client) => [
  // @ts-expect-error A thread is named by its mark.
  forum.threads.get(),
  // @ts-expect-error There is no such query parameter.
  forum.threads.list({ query: { limit: 5 } }),
  // @ts-expect-error A tag to compare is no condition for what has none.
  forum.threads.list({ ifNoneMatch: undefined }),
  // @ts-expect-error Only a request with a tag is answered by an outcome.
  Effect.map(forum.accounts.getOwn(), ({ _tag }) => _tag),
  // @ts-expect-error The problem is none of this operation.
  Effect.catchTag(forum.roles.list(), "ThreadNotFound", () => Effect.void)
]
