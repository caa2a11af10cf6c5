import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { DatagraphItems } from "../../src/domain/datagraph/DatagraphItems.ts"
import type { Actor } from "../../src/domain/shared/Actor.ts"
import { AccountId, PostId } from "../../src/domain/shared/Id.ts"
import type { Permission } from "../../src/domain/shared/Permission.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person } from "../support/people.ts"

const actorOf = (person: Person, ...permissions: ReadonlyArray<Permission>): Actor =>
  person.cookie === undefined
    ? { _tag: "Guest", permissions: new Set(permissions) }
    : {
        _tag: "Account",
        accountId: AccountId.make(person.id),
        permissions: new Set(permissions),
        suspended: false,
        credential: "cookie"
      }

const reads = "READ_PUBLISHED_THREADS"

const idsOf = (...posts: ReadonlyArray<{ readonly id: string }>) => posts.map(({ id }) => PostId.make(id))

const items = Effect.provide(DatagraphItems, DatagraphItems.layer)

layer(People.layer)("items", (it) => {
  it.effect("are what their viewer may read, as single reads show it", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const { findPosts, findReplies, findThreads } = yield* items
      const thread = yield* open(freya, "Open", { body: "opening" })
      const draft = yield* open(freya, "Hidden", { visibility: "draft" })
      const inDraft = yield* reply(freya, draft.id, "in a draft")
      const shown = yield* reply(loki, thread.id, "shown")
      const held = yield* reply(loki, thread.id, "held")
      const answer = yield* reply(freya, thread.id, "answer", { reply_to: held.id })
      const gone = yield* reply(loki, thread.id, "gone")
      ok(yield* tyr.patch(`/posts/${held.id}`, { visibility: "review" }))
      ok(yield* loki.delete(`/posts/${gone.id}`))
      yield* loki.post("/beacon", JSON.stringify({ k: "thread", id: thread.id }))
      const posts = [...idsOf(thread, draft, inDraft, shown, held, answer, gone), PostId.make(nobody)]

      const viewers: ReadonlyArray<[Person, Actor, ReadonlyArray<PostId>]> = [
        [guest, actorOf(guest, reads), idsOf(thread, shown, answer)],
        [loki, actorOf(loki, reads), idsOf(thread, shown, held, answer)],
        [freya, actorOf(freya, reads), idsOf(thread, draft, inDraft, shown, answer)],
        [tyr, actorOf(tyr, reads, "MANAGE_POSTS"), idsOf(thread, draft, inDraft, shown, held, answer)]
      ]
      for (const [person, actor, readable] of viewers) {
        assert.sameMembers([...(yield* findPosts(posts, actor)).keys()], [...readable])

        const page = ok(yield* person.get(`/threads/${thread.id}`))
        const threads = yield* findThreads(posts, actor)
        const openings = idsOf(thread, draft).filter((id) => readable.includes(id))
        assert.sameMembers([...threads.keys()], openings)
        assert.deepStrictEqual(threads.get(PostId.make(thread.id)), {
          kind: "thread",
          ref: { ...page, replies: { ...page.replies, results: 0, replies: [] } }
        })

        const replies = yield* findReplies(idsOf(shown, held, answer, gone, inDraft), actor)
        for (const ref of page.replies.replies) {
          assert.deepStrictEqual(replies.get(ref.id), { kind: "reply", ref })
        }
        assert.strictEqual(replies.size, readable.length - openings.length)
      }
      assert.strictEqual((yield* findPosts(posts, actorOf(freya))).size, 0)
    })
  )
})
