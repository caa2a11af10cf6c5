import { flood } from "../clients.ts"
import { answered, attack, whileOthersWrite } from "../harness.ts"
import { idOf } from "../seed.ts"
import type { Target } from "../target.ts"

/** Categories that are seeded come and go by their numbers; those that are created have others. */
const changeOf = (n: number) => {
  const some = n % 200
  const other = idOf("category", (n * 7) % 200)
  return [
    { method: "POST", path: "", body: { name: `New ${n}`, description: "", colour: "", parent: other } },
    { method: "PATCH", path: `/category-${some}/position`, body: { parent: n % 3 === 0 ? null : other } },
    { method: "PATCH", path: `/category-${some}/position`, body: { parent: null, before: other } },
    { method: "DELETE", path: `/category-${some}`, body: { move_to: other } },
    { method: "PATCH", path: `/category-${some}`, body: { description: `Changed ${n}` } },
    { method: "GET", path: "" }
  ][n % 6]
}

export const categories = (target: () => Target) => {
  attack("categories are created, moved and deleted at once", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) => {
          const { body, method = "GET", path = "" } = changeOf(n) ?? {}
          return { method, path: `/api/categories${path}`, headers: target.admin, body }
        }),
        200,
        400,
        404,
        409,
        503
      )
    )
  )
}
