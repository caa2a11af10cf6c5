import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { NodeNotYours } from "../../src/domain/library/NodeProblems.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { Visibility } from "../../src/domain/shared/Visibility.ts"
import { ok } from "../support/answers.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { eventsOf, page } from "./writeSupport.ts"

const show = (by: Person, mark: string, visibility: unknown) =>
  by.patch(`/nodes/${mark}/visibility`, { visibility })

layer(People.layer)("the visibility of a page", (it) => {
  it.effect("becomes any other, and decides who reads the page", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const { id } = yield* page(freya, "Shown")
      const readers = { freya, loki, odin, guest }
      const seenBy: Record<Visibility, ReadonlyArray<keyof typeof readers>> = {
        draft: ["freya"],
        unlisted: ["freya"],
        review: ["freya", "odin"],
        published: ["freya", "loki", "odin", "guest"]
      }
      for (const before of Visibility.literals) {
        for (const after of Visibility.literals) {
          ok(yield* show(freya, id, before))
          assert.strictEqual(ok(yield* show(freya, id, after)).visibility, after)
          for (const [name, reader] of Object.entries(readers)) {
            const sees = seenBy[after].some((one) => one === name)
            const { status } = yield* reader.get(`/nodes/${id}`)
            assert.strictEqual(status, sees ? 200 : 404, `${after} by ${name}`)
          }
        }
      }
    })
  )

  it.effect("is changed by the owner, who may publish as well, and by managers", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const keeper = yield* signUp("keeper")
      yield* grant(keeper, "MANAGE_LIBRARY")
      const { id } = yield* page(freya, "Whose")
      assertProblem(yield* show(guest, id, "published"), Unauthenticated)
      assertProblem(yield* show(loki, id, "published"), NodeNotYours)
      assertProblem(yield* show(odin, "nowhere", "published"), NodeNotFound)
      // A manager publishes what they cannot read.
      assert.strictEqual(ok(yield* show(keeper, id, "published")).name, "Whose")
      assert.strictEqual(ok(yield* show(odin, id, "draft")).visibility, "draft")
      assert.strictEqual(ok(yield* show(freya, id, "published")).visibility, "published")
      for (const visibility of ["public", "", null, undefined]) {
        assertInvalid(yield* show(freya, id, visibility), "body visibility")
      }
    })
  )

  it.effect("is part of the validator, and told of when it changes", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* page(freya, "Told")
      assert.deepStrictEqual(yield* eventsOf(show(freya, id, "draft")), [])
      const tag = yield* etagOf(freya, `/nodes/${id}`)
      assert.deepStrictEqual(yield* eventsOf(show(freya, id, "review")), ["NodeSubmittedForReview told"])
      assert.strictEqual((yield* freya.get(`/nodes/${id}`, ifNoneMatch(tag))).status, 200)
      assert.deepStrictEqual(yield* eventsOf(show(freya, id, "published")), ["NodePublished told"])
      // Back to review, that is all there is to tell.
      assert.deepStrictEqual(yield* eventsOf(show(freya, id, "review")), ["NodeSubmittedForReview told"])
      ok(yield* show(freya, id, "published"))
      assert.deepStrictEqual(yield* eventsOf(show(freya, id, "unlisted")), ["NodeUnpublished told"])
      assert.deepStrictEqual(yield* eventsOf(show(freya, id, "draft")), ["NodeUnpublished told"])
    })
  )
})
