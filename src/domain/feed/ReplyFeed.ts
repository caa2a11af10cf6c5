/** The feed of the replies to a thread, a part of `ThreadFeeds`. */
import { Effect, Option } from "effect"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentActor } from "../shared/Actor.ts"
import { numberedPage } from "../shared/ListPlace.ts"
import { threadMark } from "../shared/Mark.ts"
import { ThreadNotFound } from "../thread/Thread.ts"
import { visibleReplies } from "../thread/ThreadContent.ts"
import { ThreadStore } from "../thread/ThreadStore.ts"
import { repliesFor, repliesOnPage, type ThreadSummary } from "../thread/ThreadSummary.ts"
import { ThreadViews } from "../thread/ThreadViews.ts"
import { entriesMax, type Feed, type FeedView } from "./Feed.ts"
import { type Places, replyEntry } from "./PostEntries.ts"

export const makeReplyFeed = Effect.fnUntraced(function* (places: Places) {
  const store = yield* ThreadStore
  const views = yield* ThreadViews
  const settings = yield* InstanceSettings

  /** The pages of a thread that have its newest replies: the last one may have a single one, so that there are two. */
  const lastPages = Effect.fnUntraced(function* (mark: string, summary: ThreadSummary) {
    const { count } = repliesFor(summary, yield* CurrentActor)
    const last = Math.max(1, Math.ceil(count / repliesOnPage(summary)))
    const numbers = last === 1 ? [1] : [last - 1, last]
    return yield* Effect.forEach(
      numbers,
      (number) => views.view(mark, Option.some(summary), numberedPage(number)),
      {
        concurrency: "unbounded"
      }
    )
  })

  /** The newest replies to the thread that a mark names, as its viewer finds them. */
  return Effect.fnUntraced(function* (mark: string) {
    const { title } = yield* settings.general
    const id = threadMark(mark)
    const found = id === undefined ? Option.none() : yield* store.findSummary(id, undefined)
    if (Option.isNone(found)) return yield* new ThreadNotFound({ metadata: { thread_mark: mark } })
    const summary = found.value
    const pages = yield* lastPages(mark, summary)

    const feed = Effect.gen(function* () {
      const contents = yield* Effect.forEach(pages, ({ content }) => content, { concurrency: "unbounded" })
      const replies = pages.flatMap(({ readable, viewer }, place) => {
        const content = contents[place]
        return content === undefined ? [] : visibleReplies(content, readable, viewer)
      })
      const shared = contents[0]?.thread.shared
      if (shared === undefined) return yield* new ThreadNotFound({ metadata: { thread_mark: mark } })
      return {
        name: places.names.tag(`thread/${summary.id}/replies`),
        title: `${title} / ${shared.title}`,
        description: shared.description,
        address: places.pages.thread(shared.slug),
        entries: replies
          .slice(-entriesMax)
          .reverse()
          .map((reply) => replyEntry(reply, places))
      } satisfies Feed
    })
    return { version: [title, ...pages.map(({ etag }) => etag)], feed } satisfies FeedView<ThreadNotFound>
  })
})
