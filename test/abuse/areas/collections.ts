import { flood, fromMany } from "../clients.ts"
import { answered, attack, refusedSome, whileOthersWrite } from "../harness.ts"
import { idOf } from "../seed.ts"
import type { Target } from "../target.ts"

export const collections = (target: () => Target) => {
  attack("a collection of 500 long posts is read by many", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path:
          [
            `/api/collections/${idOf("collection", 0)}`,
            `/api/collections?has_item=${idOf("post", 1)}&page=${1 + (n % 10)}`
          ][n % 4 === 0 ? 1 : 0] ?? "",
        headers: n % 3 === 0 ? target.members(n).headers : {}
      })),
      200,
      503
    )
  )

  attack("many submit posts to one collection, and withdraw them", target, (target) =>
    refusedSome(
      whileOthersWrite(
        target,
        answered(
          flood(target, 100, (n) => ({
            method: n % 3 === 0 ? "DELETE" : "PUT",
            path: `/api/collections/${idOf("collection", 1)}/posts/${idOf("post", n % 150)}`,
            headers: fromMany(n, target.members(1 + (n % 100)).headers)
          })),
          200,
          403,
          404,
          409,
          503
        )
      )
    )
  )
}
