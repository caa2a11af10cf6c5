/** Listing threads, as far as the caller may read them. */
import { Effect, Option } from "effect"
import { AccountStore } from "../account/AccountStore.ts"
import { accountIdOf, CurrentActor } from "../shared/Actor.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import type { Visibility } from "../shared/Visibility.ts"
import { searched } from "../text/SearchText.ts"
import { AuthorUnknown } from "./Thread.ts"
import type { ViewerState } from "./ThreadContent.ts"
import { decideVisibilityFilter } from "./ThreadRules.ts"
import { ThreadStore } from "./ThreadStore.ts"
import { type ListedSummary, pageSize, stateFor } from "./ThreadSummary.ts"

/** How a list of threads is narrowed and ordered. */
export interface ThreadQuery {
  readonly place: ListPlace
  readonly q: string | undefined
  readonly author: string | undefined
  readonly visibility: ReadonlyArray<Visibility>
  readonly tags: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
  readonly ignorePinned: boolean
}

/** A thread in a list, for its viewer. */
export interface ListedThread {
  readonly summary: ListedSummary
  readonly state: ViewerState
}

export const makeThreadListing = Effect.gen(function* () {
  const store = yield* ThreadStore
  const accounts = yield* AccountStore

  const getAuthor = Effect.fnUntraced(function* (author: string) {
    const found = yield* accounts.findIdByHandleOrId(author)
    return Option.isNone(found) ? yield* new AuthorUnknown({ metadata: { author } }) : found.value
  })

  return Effect.fn("ThreadViews.list")(function* (query: ThreadQuery) {
    const actor = yield* CurrentActor
    const author = query.author === undefined ? undefined : yield* getAuthor(query.author)
    const found = yield* store.list({
      filter: decideVisibilityFilter(actor, {
        visibility: query.visibility,
        ofOneAuthor: author !== undefined
      }),
      viewer: accountIdOf(actor),
      place: query.place,
      ignorePinned: query.ignorePinned,
      text: searched(query.q),
      author,
      tags: query.tags,
      categories: query.categories.includes("null") ? null : query.categories
    })
    return {
      threads: found.threads.map((summary): ListedThread => ({ summary, state: stateFor(summary, actor) })),
      envelope: listEnvelope({
        ...found,
        place: query.place,
        size: pageSize,
        results: found.threads.length
      })
    }
  })
})
