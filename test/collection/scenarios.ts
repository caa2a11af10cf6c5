import { Effect } from "effect"
import { CollectionNotFound, CollectionNotYours } from "../../src/domain/collection/Collection.ts"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { page } from "../library/elsewhere.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { add, create, placeOf } from "./support.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  const link = `<a href="https://a.test/">a</a>`
  const [thread, other] = [
    yield* open(freya, "Thread", { body: link, tags: ["a"] }),
    yield* open(loki, "Other", { body: link })
  ]
  const answer = yield* reply(loki, thread.id, link)
  const [kept, spare] = [yield* create(freya, "Kept"), yield* create(freya, "Spare")]
  for (const post of [thread, other, answer]) yield* add(freya, kept.id, post.id)
  yield* add(freya, spare.id, thread.id)
  const node = yield* page(odin, "Page", { content: link, tags: ["a"], url: "https://a.test/" })
  const nodeIn = (collection: string) => `/collections/${collection}/nodes/${node.id}`
  ok(yield* freya.put(nodeIn(kept.id)))
  const path = `/collections/${kept.id}`
  return [
    { operation: "CollectionList", call: guest.get("/collections"), expects: 200, statements: 2 },
    {
      operation: "CollectionList",
      when: "of one account, with an item",
      call: loki.get(`/collections?account_handle=freya&has_item=${thread.id}`),
      expects: 200,
      statements: 5
    },
    {
      operation: "CollectionList",
      when: "with an item that is no id",
      call: guest.get("/collections?has_item=x"),
      expects: InvalidRequest
    },
    { operation: "CollectionGet", when: "by a guest", call: guest.get(path), expects: 200, statements: 9 },
    {
      operation: "CollectionGet",
      when: "by an account",
      call: loki.get(path),
      expects: 200,
      statements: 10
    },
    {
      operation: "CollectionGet",
      when: "unknown",
      call: guest.get(`/collections/${nobody}`),
      expects: CollectionNotFound
    },
    {
      operation: "CollectionCreate",
      call: loki.post("/collections", { name: "New", description: "d" }),
      expects: 200,
      statements: 5
    },
    {
      operation: "CollectionUpdate",
      call: freya.patch(path, { name: "Renamed" }),
      expects: 200,
      statements: 5
    },
    {
      operation: "CollectionUpdate",
      when: "by another member",
      call: loki.patch(path, { name: "Mine" }),
      expects: CollectionNotYours
    },
    {
      operation: "CollectionAddPost",
      when: "again",
      call: freya.put(placeOf(kept.id, thread.id)),
      expects: 200,
      statements: 13
    },
    {
      operation: "CollectionAddPost",
      when: "as a submission",
      call: loki.put(placeOf(spare.id, other.id)),
      expects: 200,
      statements: 12
    },
    {
      operation: "CollectionAddPost",
      when: "that was submitted",
      call: freya.put(placeOf(spare.id, other.id)),
      expects: 200,
      statements: 11
    },
    {
      operation: "CollectionAddPost",
      when: "unknown",
      call: freya.put(placeOf(kept.id, nobody)),
      expects: PostNotFound
    },
    {
      operation: "CollectionRemovePost",
      call: freya.delete(placeOf(kept.id, other.id)),
      expects: 200,
      statements: 15
    },
    {
      operation: "CollectionRemovePost",
      when: "by another member",
      call: loki.delete(placeOf(kept.id, thread.id)),
      expects: CollectionNotYours
    },
    {
      operation: "CollectionAddNode",
      when: "again",
      call: freya.put(nodeIn(kept.id)),
      expects: 200,
      statements: 14
    },
    {
      operation: "CollectionAddNode",
      when: "as a submission",
      call: loki.put(nodeIn(spare.id)),
      expects: 200,
      statements: 13
    },
    {
      operation: "CollectionAddNode",
      when: "that was submitted",
      call: freya.put(nodeIn(spare.id)),
      expects: 200,
      statements: 16
    },
    {
      operation: "CollectionAddNode",
      when: "unknown",
      call: freya.put(`/collections/${kept.id}/nodes/${nobody}`),
      expects: NodeNotFound
    },
    {
      operation: "CollectionRemoveNode",
      when: "by another member",
      call: loki.delete(nodeIn(kept.id)),
      expects: CollectionNotYours
    },
    {
      operation: "CollectionRemoveNode",
      call: freya.delete(nodeIn(kept.id)),
      expects: 200,
      statements: 11
    },
    {
      operation: "CollectionDelete",
      when: "by another member",
      call: loki.delete(path),
      expects: CollectionNotYours
    },
    { operation: "CollectionDelete", call: odin.delete(path), expects: 200, statements: 4 },
    {
      operation: "CollectionDelete",
      when: "again",
      call: odin.delete(path),
      expects: CollectionNotFound,
      statements: 2
    }
  ]
})
