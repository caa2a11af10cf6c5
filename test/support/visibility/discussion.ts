/** Lists and numbers of discussions, against what one person reads of each thread. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { idsOf } from "../answers.ts"
import { guest } from "../people.ts"
import { replyFeeds, threadFeeds } from "./feeds.ts"
import {
  type Comparison,
  idsIn,
  isPublished,
  type Json,
  listed,
  postsOf,
  read,
  type Shown,
  same,
  type View
} from "./Reader.ts"

const every = ["draft", "unlisted", "review", "published"]

const repliesIn = ({ replies }: View, thread: string): ReadonlyArray<Json> =>
  [...replies.values()].filter(({ root_id }) => root_id === thread)

const activityOf = ({ createdAt, last_reply_at }: Json) => Date.parse(last_reply_at ?? createdAt)

export const threads: Comparison = Effect.fnUntraced(function* (compared) {
  const { view, world } = compared
  yield* threadFeeds(compared)
  const { name, person, threads } = view
  const check = Effect.fnUntraced(function* (
    parameters: Readonly<Record<string, string | ReadonlyArray<string>>>,
    is: (thread: Json) => boolean
  ) {
    const found = yield* listed(view, "/threads", "threads", parameters)
    same(idsOf(found), idsIn(threads, is), `${JSON.stringify(parameters)} as ${name}`)
    return found
  })
  const isUsual = (thread: Json) => isPublished(thread) || thread.visibility === "review"
  const inOrder = yield* check({ ignore_pinned: "true" }, isUsual)
  const times = inOrder.map(activityOf)
  assert.deepStrictEqual(
    times,
    times.toSorted((a, b) => b - a),
    name
  )
  yield* check({ visibility: "published" }, isPublished)
  for (const { slug } of world.categories) {
    yield* check({ categories: slug }, (thread) => isUsual(thread) && thread.category?.slug === slug)
  }
  for (const { id } of world.people) {
    // Drafts of others are listed by no other name.
    const asked = id === person.id ? { author: id, visibility: every } : { author: id }
    const isAsked = id === person.id ? () => true : isUsual
    yield* check(asked, (thread) => thread.author.id === id && isAsked(thread))
  }
})

/** How many replies there are, and which of them are the reader's or new to them. */
export const replies: Comparison = (compared) =>
  Effect.map(replyFeeds(compared), () => {
    const { view, world } = compared
    for (const [id, thread] of view.threads) {
      const about = `${id} as ${view.name}`
      const found = repliesIn(view, id)
      const ofOthers = found.filter(({ author }) => author.id !== view.person.id)
      const { last_reply_at, read_status, reply_status } = thread
      assert.deepStrictEqual(
        reply_status,
        { replies: found.length, replied: found.length - ofOthers.length },
        about
      )
      const publishedAt = (reply: Json) => world.standing.get(reply.id)?.publishedAt ?? 0
      const published = found.filter(isPublished).map(publishedAt)
      const last = published.length === 0 ? undefined : Math.max(...published)
      assert.strictEqual(last_reply_at === undefined ? undefined : Date.parse(last_reply_at), last, about)
      if (read_status === undefined) continue
      const moderates = world.moderators.has(view.person)
      const readAt = Date.parse(read_status.last_read_at)
      const newSince = (reply: Json) =>
        (moderates ? Date.parse(reply.createdAt) : publishedAt(reply)) > readAt
      assert.strictEqual(read_status.replies_since, ofOthers.filter(newSince).length, about)
    }
  })

/** Where each reply is shown; what is not readable is nowhere. */
export const locations: Comparison = Effect.fnUntraced(function* ({ view, world }) {
  for (const id of [...world.threads, ...world.replies]) {
    const path = `/posts/location?id=${id}`
    if (!postsOf(view).has(id)) {
      assert.include([403, 404], (yield* view.person.get(path)).status, `${id} as ${view.name}`)
      continue
    }
    const json = yield* read(view, path)
    const reply = view.replies.get(id)
    if (reply === undefined) continue
    const index = idsOf(repliesIn(view, reply.root_id)).indexOf(id)
    assert.deepStrictEqual([json.index, json.page, json.position], [index, 1, index], id)
  }
})

/** Who likes each post, as its list has them. */
const likesOf = Effect.fnUntraced(function* (view: View, posts: Iterable<string>) {
  const likes = new Map<string, ReadonlyArray<string>>()
  for (const id of posts) {
    const list: ReadonlyArray<Json> = (yield* read(view, `/likes/posts/${id}`)).likes
    likes.set(
      id,
      list.map(({ owner }) => owner.id)
    )
  }
  return likes
})

export const likes: Comparison = Effect.fnUntraced(function* ({ everyone, view, world }) {
  const { name, person } = view
  const readable = postsOf(view)
  const likes = yield* likesOf(view, [...world.threads, ...world.replies])
  for (const [id, owners] of likes) {
    const post = readable.get(id)
    if (post === undefined) assert.deepStrictEqual(owners, [], `${id} as ${name}`)
    else assert.deepStrictEqual(post.likes, { likes: owners.length, liked: owners.includes(person.id) }, id)
  }
  const open = postsOf(everyone)
  for (const [account, { like_score }] of view.profiles) {
    const found = yield* listed(view, `/likes/profiles/${account}`, "likes")
    const liked = idsIn(readable, ({ id }) => likes.get(id)?.includes(account) ?? false)
    same(idsOf(found.map(({ item }) => item.ref)), liked, `likes of ${account} as ${name}`)
    const scores = [...open.values()].map(({ author, id }) =>
      author.id === account ? (likes.get(id) ?? []).filter((owner) => owner !== account).length : 0
    )
    const score = scores.reduce((sum, one) => sum + one, 0)
    assert.strictEqual(like_score, score, `the score of ${account} as ${name}`)
  }
})

export const reacts: Comparison = ({ view, world }) =>
  Effect.sync(() => {
    for (const [id, { reacts }] of postsOf(view)) {
      const known = [...(world.reacts.get(id) ?? [])].map(([react, { id }]) => `${react} of ${id}`)
      same(
        reacts.map((react: Json) => `${react.id} of ${react.author.id}`),
        known,
        `${id} as ${view.name}`
      )
    }
  })

/** Everyone is told the number of published threads directly in a category. */
export const categories: Comparison = Effect.fnUntraced(function* ({ everyone, view }) {
  const listedThere: ReadonlyArray<Json> = (yield* read(view, "/categories")).categories
  const flat = (list: ReadonlyArray<Json>): ReadonlyArray<Json> =>
    list.flatMap((one) => [one, ...flat(one.children)])
  const found = new Map(flat(listedThere).map((one) => [one.slug, one]))
  same([...found.keys()], idsIn(view.categories), view.name)
  for (const [slug, category] of view.categories) {
    const there = idsIn(everyone.threads, (thread) => thread.category?.slug === slug)
    assert.strictEqual(category.postCount, there.length, `${slug} as ${view.name}`)
    const within = idsIn(view.categories, ({ parent }) => parent === category.id)
    same(
      category.children.map((child: Json) => child.slug),
      within,
      slug
    )
  }
})

/** What has a tag is what everyone may read of it. */
export const tags: Comparison = Effect.fnUntraced(function* ({ everyone, view }) {
  const hasTag = (tag: string) => (one: Json) =>
    isPublished(one) && one.tags.some(({ name }: Json) => name === tag)
  for (const [tag, { item_count, items }] of view.tags) {
    const tagged = [everyone.threads, everyone.nodes].flatMap((shown: Shown) => idsIn(shown, hasTag(tag)))
    same(idsOf(items.map(({ ref }: Json) => ref)), tagged, `${tag} as ${view.name}`)
    assert.strictEqual(item_count, tagged.length, `${tag} as ${view.name}`)
  }
  const list = yield* listed(view, "/tags", "tags")
  same(
    list.map(({ name }) => name),
    idsIn(view.tags),
    view.name
  )
})

/** Links of texts and of threads and pages, and what is about them. */
export const links: Comparison = Effect.fnUntraced(function* ({ everyone, view }) {
  const list = yield* listed(view, "/links", "links")
  const about = (shown: Shown) => [...shown.values()].map(({ link }) => link)
  const inTexts = [...postsOf(view).values()].flatMap(({ body_links }) => body_links)
  const used = [...about(view.threads), ...about(view.nodes), ...inTexts].flatMap((link) => link?.id ?? [])
  for (const id of used) assert.include(idsOf(list), id, view.name)
  if (view.person === guest) return
  for (const { id, slug } of list) {
    const link = yield* read(view, `/links/${slug}`)
    const isAbout = (one: Json) => isPublished(one) && one.link?.id === id
    same(idsOf(link.posts), idsIn(everyone.threads, isAbout), `${slug} as ${view.name}`)
    same(idsOf(link.nodes), idsIn(everyone.nodes, isAbout), `${slug} as ${view.name}`)
    assert.deepStrictEqual(link.assets, [])
  }
})
