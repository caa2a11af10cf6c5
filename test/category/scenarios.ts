import { Effect } from "effect"
import { CategoryNotFound, CategoryTaken } from "../../src/domain/category/Category.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { category, open } from "../support/discussion.ts"
import { Cast, guest } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const place = yield* category(odin, "Place")
  yield* category(odin, "Child", { parent: place.id })
  const target = yield* category(odin, "Target")
  const doomed = yield* category(odin, "Doomed")
  yield* category(odin, "Orphan", { parent: doomed.id })
  yield* open(freya, "Moves", { category: doomed.id })
  const { etag = "" } = (yield* guest.get("/categories/place")).headers
  const known = { headers: { "if-none-match": etag } }
  const fields = { name: "New", description: "", colour: "" }
  return [
    { operation: "CategoryList", call: guest.get("/categories"), expects: 200, statements: 1 },
    { operation: "CategoryGet", call: guest.get("/categories/place"), expects: 200, statements: 1 },
    {
      operation: "CategoryGet",
      when: "not changed",
      call: guest.get("/categories/place", known),
      expects: 304
    },
    {
      operation: "CategoryGet",
      when: "unknown",
      call: guest.get("/categories/nope"),
      expects: CategoryNotFound
    },
    { operation: "CategoryCreate", call: odin.post("/categories", fields), expects: 200, statements: 6 },
    {
      operation: "CategoryCreate",
      when: "below another",
      call: odin.post("/categories", { ...fields, name: "N", parent: place.id }),
      expects: 200,
      statements: 6
    },
    {
      operation: "CategoryCreate",
      when: "with a name that is taken",
      call: odin.post("/categories", fields),
      expects: CategoryTaken
    },
    {
      operation: "CategoryCreate",
      when: "without the permission",
      call: freya.post("/categories", fields),
      expects: Forbidden
    },
    {
      operation: "CategoryUpdate",
      call: odin.patch("/categories/place", { name: "Renamed", meta: { a: 1 } }),
      expects: 200,
      statements: 6
    },
    {
      operation: "CategoryUpdate",
      when: "unknown",
      call: odin.patch("/categories/nope", { name: "x" }),
      expects: CategoryNotFound,
      statements: 3
    },
    {
      operation: "CategoryUpdatePosition",
      call: odin.patch("/categories/child/position", { parent: null, before: place.id }),
      expects: 200,
      statements: 7
    },
    {
      operation: "CategoryDelete",
      call: odin.delete("/categories/doomed", { move_to: target.id }),
      expects: 200,
      statements: 12
    }
  ]
})
