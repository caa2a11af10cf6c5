/** What is delivered is what the account that created a webhook may know of when it is delivered. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { builtIn } from "../../src/domain/role/Role.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { Cast, reinstate, signUp, suspend } from "../support/people.ts"
import {
  answering,
  begin,
  create,
  deliver,
  deliveriesOf,
  idsOf,
  layer as service,
  shown,
  signaturesOf,
  signatureWith,
  webhooks
} from "./support.ts"

/** Somebody else who is an administrator, for whom webhooks are told of what they see. */
const administrator = Effect.fnUntraced(function* (handle: string) {
  const { odin } = yield* Cast
  const person = yield* signUp(handle)
  const set = (isAdmin: boolean) =>
    isAdmin
      ? odin.put(`/accounts/${handle}/roles/${builtIn.admin}`)
      : odin.delete(`/accounts/${handle}/roles/${builtIn.admin}`)
  assert.strictEqual((yield* set(true)).status, 200)
  return { person, set }
})

layer(service)("a webhook", (it) => {
  it.effect("of an account that is no administrator any more is told of what that account may read", () =>
    Effect.gen(function* () {
      const { freya, odin, receiver } = yield* begin
      const { person, set } = yield* administrator("vidar")
      const { id } = yield* create(person, receiver.url, {
        events: ["EventThreadPublished", "EventThreadUpdated", "EventAccountUpdated"]
      })
      const draft = yield* open(freya, "Draft", { visibility: "draft" })
      const shownToAll = yield* open(freya, "Published")
      assert.strictEqual((yield* set(false)).status, 200)
      ok(yield* freya.patch(`/threads/${draft.id}`, { title: "Still a draft" }))
      ok(yield* odin.patch("/accounts", { name: "Allfather" }))
      yield* deliver
      // The account itself was changed, too, by what was taken from it.
      assert.deepStrictEqual(idsOf(receiver.arrived), [shownToAll.id, person.id])
      // Nothing is left of the others.
      assert.lengthOf(yield* deliveriesOf(odin, id), 2)
      assert.strictEqual((yield* shown(odin, id)).waiting, 0)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is not told of what was deleted or hidden before it was delivered, but that it was deleted",
    () =>
      Effect.gen(function* () {
        const { freya, receiver } = yield* begin
        const { person, set } = yield* administrator("vali")
        yield* create(person, receiver.url, { events: ["EventThreadUpdated", "EventThreadDeleted"] })
        assert.strictEqual((yield* set(false)).status, 200)
        const [hidden, deleted] = [yield* open(freya, "Hidden"), yield* open(freya, "Deleted")]
        ok(yield* freya.patch(`/threads/${hidden.id}`, { title: "Hidden soon" }))
        ok(yield* freya.patch(`/threads/${hidden.id}`, { visibility: "draft" }))
        assert.strictEqual((yield* freya.delete(`/threads/${deleted.id}`)).status, 200)
        yield* deliver
        assert.deepStrictEqual(
          receiver.arrived.map(({ body }) => [JSON.parse(body).type, JSON.parse(body).data.id]),
          [["EventThreadDeleted", deleted.id]]
        )
      }).pipe(Effect.scoped)
  )

  it.effect("of a suspended account is told of nothing, also not of what waits", () =>
    Effect.gen(function* () {
      const { freya, odin, receiver } = yield* begin
      const { person } = yield* administrator("bragi")
      receiver.behaviour.current = answering(500)
      const { id } = yield* create(person, receiver.url, { events: ["EventThreadPublished"] })
      yield* open(freya, "Before")
      yield* deliver
      yield* suspend(person)
      assert.deepInclude(yield* shown(odin, id), { active: true, disabled_reason: "suspended", waiting: 1 })
      receiver.behaviour.current = answering(200)
      yield* open(freya, "Meanwhile")
      yield* TestClock.adjust("1 hour")
      yield* deliver
      assert.lengthOf(receiver.arrived, 1)
      assert.deepStrictEqual(yield* deliveriesOf(odin, id), [])
      yield* reinstate(person)
      assert.notProperty(yield* shown(odin, id), "disabled_reason")
      const after = yield* open(freya, "After")
      yield* deliver
      assert.deepStrictEqual(idsOf(receiver.arrived).slice(1), [after.id])
    }).pipe(Effect.scoped)
  )

  it.effect("signs with the secrets of the last 24 hours", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* begin
      const { id, secret } = yield* create(odin, receiver.url, { events: ["EventThreadPublished"] })
      const told = Effect.gen(function* () {
        yield* open(odin, "Tide")
        yield* deliver
        return receiver.arrived.at(-1) ?? assert.fail("nothing arrived")
      })
      const replaced = ok(yield* odin.post(`${webhooks}/${id}/secret`)).secret
      const first = yield* told
      assert.deepStrictEqual(signaturesOf(first), [
        signatureWith(replaced, first),
        signatureWith(secret, first)
      ])
      yield* TestClock.adjust("23 hours")
      const newest = ok(yield* odin.post(`${webhooks}/${id}/secret`)).secret
      yield* TestClock.adjust("1 hour")
      const second = yield* told
      assert.deepStrictEqual(signaturesOf(second), [
        signatureWith(newest, second),
        signatureWith(replaced, second)
      ])
      yield* TestClock.adjust("23 hours")
      const third = yield* told
      assert.deepStrictEqual(signaturesOf(third), [signatureWith(newest, third)])
    }).pipe(Effect.scoped)
  )
})
