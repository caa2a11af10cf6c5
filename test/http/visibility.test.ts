/**
 * What lists, searches, counts, collections, likes and notifications show equals what single reads allow: for
 * random histories and every kind of viewer. Another seed and more histories are taken from the environment:
 * VISIBILITY_SEED, VISIBILITY_RUNS.
 */

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { category, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest, type Person, query } from "../support/people.ts"

const seed = Number(process.env.VISIBILITY_SEED ?? 20_260_101)
const runs = Number(process.env.VISIBILITY_RUNS ?? 3)
const length = 70

const visibilities = ["published", "published", "review", "unlisted", "draft"] as const
const tags = ["one", "two"] as const

const number = fc.nat({ max: 1_000_000 })
const step = fc.oneof(
  fc.record({
    does: fc.constant("open"),
    by: number,
    visibility: fc.constantFrom(...visibilities),
    of: number
  }),
  fc.record({ does: fc.constant("reply"), by: number, visibility: fc.constant("published"), of: number }),
  fc.record({
    does: fc.constantFrom("show", "show", "like", "collect", "delete"),
    by: number,
    visibility: fc.constantFrom(...visibilities),
    of: number
  })
)
type Step = {
  readonly does: string
  readonly by: number
  readonly visibility: (typeof visibilities)[number]
  readonly of: number
}

/** Something that was written, and what has become of it. */
interface Written {
  readonly id: string
  readonly thread: string
  readonly author: Person
  readonly tag: string | undefined
  visibility: string
  readonly likedBy: Set<Person>
  isCollected: boolean
  /** The address in its text, which nothing else has, or the one that several threads are about. */
  readonly url: string
}

/** An address that is found by who may read one of the posts that have it. */
const addressOf = (history: number, of: number) =>
  of % 4 === 0 ? `https://shared-${history}.test/` : `https://only-${history}-${of}.test/`

const slugOf = (url: string) => url.replace("https://", "").replace(/[./]+/g, "-").replace(/-$/, "")

const one = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = list[index % list.length]
  if (found === undefined) throw new Error("There is nothing to choose from")
  return found
}

const isThread = ({ id, thread }: Written) => id === thread

/** All items of a list, over all of its pages. */
const pagesOf = Effect.fnUntraced(function* (
  viewer: Person,
  path: string,
  key: string,
  parameters: Readonly<Record<string, string>> = {}
) {
  const all: Array<Answer["json"]> = []
  for (let page = 1; ; page++) {
    const answer = ok(yield* viewer.get(`${path}${query({ ...parameters, page: String(page) })}`))
    all.push(...answer[key])
    if (answer.next_page === undefined) return all
  }
})

layer(People.layer)("what is shown", (it) => {
  const act = Effect.fnUntraced(function* (
    { by, does, of, visibility }: Step,
    written: Array<Written>,
    place: string,
    collection: string,
    history: number
  ) {
    const { freya, loki, odin, tyr } = yield* Cast
    const person = one([freya, loki, tyr], by)
    const mention = `common <a href="sdr:profile/${one([freya, loki], of).id}">you</a>`
    const url = addressOf(history, of)
    const linking = `${mention} <a href="${url}">there</a>`
    const body = of % 2 === 0 ? mention : linking
    if (does === "open") {
      const tag = [undefined, ...tags][of % 3]
      const about = of % 2 === 0 ? { url } : {}
      const more = {
        ...about,
        body,
        visibility,
        category: place,
        ...(tag === undefined ? {} : { tags: [tag] })
      }
      const { id } = yield* open(person, `Common ${of}`, more)
      const isCollected = false
      written.push({ id, thread: id, author: person, tag, visibility, likedBy: new Set(), isCollected, url })
      return
    }
    if (written.length === 0) return
    const post = one(written, of)
    if (does === "reply") {
      const answer = yield* person.post(`/threads/${post.thread}/replies`, {
        body: linking,
        reply_to: post.id
      })
      // Not everyone may reply to what is not published.
      if (answer.status !== 200) return
      const { thread } = post
      written.push({
        id: answer.json.id,
        thread,
        author: person,
        tag: undefined,
        visibility: "published",
        likedBy: new Set(),
        isCollected: false,
        url
      })
    } else if (does === "show") {
      ok(yield* tyr.patch(`/posts/${post.id}`, { visibility }))
      post.visibility = visibility
    } else if (does === "like") {
      if ((yield* person.put(`/likes/posts/${post.id}`)).status === 200) post.likedBy.add(person)
    } else if (does === "collect") {
      const isOpen = post.visibility === "published"
      const answer = yield* freya.put(`/collections/${collection}/posts/${post.id}`)
      if (answer.status === 200) post.isCollected = true
      else assert.isFalse(isOpen && isThread(post), answer.text)
    } else if (by % 3 === 0) {
      ok(yield* odin.delete(`/posts/${post.id}`))
      const gone = written.filter(({ id, thread }) => id === post.id || thread === post.id)
      for (const { id } of gone)
        written.splice(
          written.findIndex((other) => other.id === id),
          1
        )
    }
  })

  /** The posts that a viewer can read one by one. */
  const readableBy = Effect.fnUntraced(function* (viewer: Person, written: ReadonlyArray<Written>) {
    const readable = new Set<string>()
    for (const { id } of written.filter(isThread)) {
      const answer = yield* viewer.get(`/threads/${id}`)
      if (answer.status !== 200) continue
      readable.add(id)
      const { reply_status, replies } = answer.json
      for (const reply of replies.replies) readable.add(reply.id)
      assert.strictEqual(reply_status.replies, replies.replies.length)
      assert.isBelow(replies.total_pages, 2)
    }
    return readable
  })

  /** The links of a history that lists, searches and single reads show, which have to agree with each other. */
  const linksFor = Effect.fnUntraced(function* (viewer: Person, urls: ReadonlyArray<string>, about: string) {
    const urlsOf = (links: ReadonlyArray<Answer["json"]>) => links.map(({ url }): string => url)
    const listed = urlsOf(yield* pagesOf(viewer, "/links", "links"))
    const found = urlsOf(yield* pagesOf(viewer, "/links", "links", { q: "test" }))
    assert.deepStrictEqual(found, listed, about)
    const { total_pages } = ok(yield* viewer.get("/links"))
    assert.strictEqual(total_pages, Math.ceil(listed.length / 50), about)
    const shown = urls.filter((url) => listed.includes(url))
    if (viewer !== guest) {
      for (const url of urls) {
        const { status } = yield* viewer.get(`/links/${slugOf(url)}`)
        assert.strictEqual(status, shown.includes(url) ? 200 : 404, `${about}: ${url}`)
      }
    }
    return shown.toSorted()
  })

  it.effect("is what single reads allow", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const histories = fc.sample(fc.array(step, { minLength: length, maxLength: length }), {
        seed,
        numRuns: runs
      })
      for (const [index, history] of histories.entries()) {
        const place = yield* category(odin, `Place ${index}`)
        const collection = ok(yield* freya.post("/collections", { name: `Mine ${index}` })).id
        const written: Array<Written> = []
        for (const step of history) yield* act(step, written, place.id, collection, index)
        yield* drainEvents

        const ours = new Set(written.map(({ id }) => id))
        const among = (ids: ReadonlyArray<unknown>) => ids.filter((id) => ours.has(String(id))).toSorted()
        const those = (readable: ReadonlySet<string>, is: (post: Written) => boolean) =>
          written
            .filter((post) => readable.has(post.id) && is(post))
            .map(({ id }) => id)
            .toSorted()
        const published = yield* readableBy(guest, written)
        const urls = [...new Set(history.map(({ of }) => addressOf(index, of)))]

        for (const viewer of [guest, freya, loki, tyr, odin]) {
          const about = `history ${index} of seed ${seed} as ${viewer.id}`
          const readable = yield* readableBy(viewer, written)

          const listed = idsOf(yield* pagesOf(viewer, "/threads", "threads", { categories: place.slug }))
          const isListed = ({ visibility }: Written) => visibility === "published" || visibility === "review"
          assert.deepStrictEqual(
            among(listed),
            those(readable, (post) => isThread(post) && isListed(post)),
            about
          )

          const linked = new Set(written.flatMap(({ id, url }) => (readable.has(id) ? [url] : [])))
          assert.deepStrictEqual(yield* linksFor(viewer, urls, about), [...linked].toSorted(), about)

          const found = yield* pagesOf(viewer, "/datagraph", "items", { q: "common", kind: "post" })
          assert.deepStrictEqual(
            among(found.map(({ ref }) => ref.id)),
            those(published, () => true),
            about
          )

          for (const tag of tags) {
            const { item_count, items } = ok(yield* viewer.get(`/tags/${tag}`))
            const ids = idsOf(items.map(({ ref }: { ref: { id: string } }) => ref))
            assert.deepStrictEqual(
              among(ids),
              those(published, (post) => post.tag === tag),
              about
            )
            assert.strictEqual(item_count, ids.length, about)
          }

          for (const liker of [freya, loki, tyr]) {
            const likes = yield* pagesOf(viewer, `/likes/profiles/${liker.id}`, "likes")
            assert.deepStrictEqual(
              among(likes.map(({ item }) => item.ref.id)),
              those(readable, ({ likedBy }) => likedBy.has(liker)),
              about
            )
          }

          const { items } = ok(yield* viewer.get(`/collections/${collection}`))
          const ownsOrRuns = viewer === freya || viewer === odin
          assert.deepStrictEqual(
            among(idsOf(items)),
            those(
              readable,
              ({ author, isCollected, id }) =>
                isCollected && (ownsOrRuns || author === viewer || published.has(id))
            ),
            about
          )

          for (const post of written) {
            const { status } = yield* viewer.get(`/posts/location?id=${post.id}`)
            assert.strictEqual(status === 200, readable.has(post.id), `${about}: ${post.id}`)
            const { likes } = ok(yield* viewer.get(`/likes/posts/${post.id}`))
            assert.lengthOf(likes, readable.has(post.id) ? post.likedBy.size : 0, about)
          }

          if (viewer !== guest) {
            const told = yield* pagesOf(viewer, "/notifications", "notifications")
            const shown = told.flatMap(({ item }) => (item === undefined ? [] : [item.ref.id]))
            for (const id of among(shown)) assert.isTrue(readable.has(String(id)), about)
            const { notifications } = ok(yield* viewer.get("/accounts"))
            assert.strictEqual(notifications, told.filter(({ status }) => status === "unread").length, about)
          }
        }

        const { postCount } = ok(yield* guest.get(`/categories/${place.slug}`))
        assert.strictEqual(postCount, those(published, isThread).length)
        yield* sql`delete from notifications`
      }
    })
  )
})
