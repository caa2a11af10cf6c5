/** The discussions of the demonstration: who opens which thread when, and what follows. */
import { Effect } from "effect"
import type { CategoryId } from "../../domain/shared/Id.ts"
import { type Cast, day, hour, length, type Moment } from "./Moment.ts"
import { administrator } from "./people.ts"
import type { Topic } from "./Topic.ts"
import { categories, topics } from "./topics.ts"

const emojis = ["👍", "🔧", "🎉", "❤️"] as const

/** A few minutes that look as if nobody had chosen them. */
const pause = (number: number) => 7 + ((number * 7919) % (9 * hour))

/** Sets a category of its own for each name, and answers how to find it. */
export const categoriesBy = (cast: Cast) => {
  const ids = new Map<string, CategoryId>()
  const create = Effect.forEach(
    categories,
    (category) =>
      Effect.map(cast.clientOf(administrator).categories.create({ payload: category }), ({ id, name }) =>
        ids.set(name, id)
      ),
    { discard: true }
  )
  return { create, ids }
}

/** A thread and what follows it. Marks are known from the moment when what they name was written. */
const discussionOf = (cast: Cast, ids: ReadonlyMap<string, CategoryId>, topic: Topic, number: number) => {
  const opened = day + Math.round((number * (length - 2 * day)) / topics.length)
  const said = topic.replies.slice(0, 1 + ((number * 5) % topic.replies.length))
  const posts: Array<string> = []
  let mark = ""

  const author = topic.category === "Announcements" ? administrator : cast.somebody(opened, number * 7 + 2)
  const open = Effect.gen(function* () {
    const category = ids.get(topic.category)
    const { id, slug } = yield* cast.clientOf(author).threads.create({
      payload: {
        title: topic.title,
        body: topic.body,
        tags: topic.tags,
        visibility: "published",
        ...(category === undefined ? {} : { category })
      }
    })
    mark = slug
    posts.push(id)
  })

  let at = opened
  const replies = said.flatMap((body, index): ReadonlyArray<Moment> => {
    at += pause(number + index)
    // Every second answer comes from who asked.
    const replier = index % 2 === 1 ? author : cast.somebody(at, number * 5 + index * 11 + 3)
    const fan = cast.somebody(at, number + index * 3 + 9)
    const reply = Effect.suspend(() =>
      cast.clientOf(replier).replies.reply({ params: { thread_mark: mark }, payload: { body } })
    ).pipe(Effect.map(({ id }) => posts.push(id)))
    const like = Effect.suspend(() =>
      cast.clientOf(fan).likes.add({ params: { post_id: posts[index] ?? "" } })
    )
    const react = Effect.suspend(() =>
      cast.clientOf(fan).reactions.add({
        params: { post_id: posts[index] ?? "" },
        payload: { emoji: emojis[number % emojis.length] ?? "👍" }
      })
    )
    return [
      { at, act: reply },
      ...((number + index) % 3 === 0 ? [{ at: at + 20, act: like }] : []),
      ...((number + index) % 4 === 0 ? [{ at: at + 25, act: react }] : [])
    ]
  })
  return [{ at: opened, act: open }, ...replies]
}

export const discussions = (cast: Cast, ids: ReadonlyMap<string, CategoryId>): ReadonlyArray<Moment> =>
  topics.flatMap((topic, number) => discussionOf(cast, ids, topic, number))
