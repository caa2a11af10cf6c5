/** Finding the page of a thread that shows a post. */
import { Context, Effect, Layer, Option } from "effect"
import { accountIdOf, CurrentActor } from "../shared/Actor.ts"
import type { PostId } from "../shared/Id.ts"
import { PostNotFound } from "./Post.ts"
import { type PostLocation, replyLocation } from "./PostLocation.ts"
import { PostStore } from "./PostStore.ts"
import { mayReadPost } from "./ThreadRules.ts"
import { ThreadStore } from "./ThreadStore.ts"
import { repliesFor, repliesOnPage } from "./ThreadSummary.ts"

const make = Effect.gen(function* () {
  const store = yield* PostStore
  const threads = yield* ThreadStore

  /** Where `GET` of the thread shows a post to this caller. What they may not read, they do not find. */
  const get = Effect.fn("PostLocations.get")(function* (id: PostId) {
    const actor = yield* CurrentActor
    const notFound = new PostNotFound({ metadata: { post_id: id } })
    const place = Option.getOrUndefined(yield* store.findPlace(id))
    if (place === undefined || !mayReadPost(place.post, actor)) return yield* notFound
    const { thread } = place.post
    if (id === thread.id) return { slug: place.slug, kind: "thread" } satisfies PostLocation
    const summary = Option.getOrUndefined(yield* threads.findSummary(thread.id, accountIdOf(actor)))
    if (summary === undefined) return yield* notFound
    const before = yield* store.countBefore(place, summary, repliesFor(summary, actor))
    return replyLocation(place, before, repliesOnPage(summary))
  })

  return { get } as const
})

export class PostLocations extends Context.Service<PostLocations, Effect.Success<typeof make>>()(
  "forum/domain/PostLocations"
) {
  static readonly layer = Layer.effect(PostLocations, make)
}
