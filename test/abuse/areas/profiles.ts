/** Lists that are long for one letter or one role, and accounts that many follow. */
import { flood } from "../clients.ts"
import { answered, attack, whileOthersWrite } from "../harness.ts"
import { idOf } from "../seed.ts"
import type { Target } from "../target.ts"

export const profiles = (target: () => Target) => {
  attack("profiles and tags are searched for a letter, page by page", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path:
          [
            `/api/profiles?q=a&page=${n % 400}`,
            `/api/profiles?q=an&sort=name&page=${n % 400}`,
            `/api/tags?q=a&page=${n % 400}`,
            `/api/tags?q=${"a%20".repeat(50)}`
          ][n % 4] ?? ""
      })),
      200,
      400,
      503
    )
  )

  attack("lists of profiles and tags are read far from their start", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path:
          [
            `/api/profiles?page=${200 + (n % 100)}&sort=${["name", "-name", "handle", "created_at"][n % 4]}`,
            `/api/profiles?joined=2026-01-01/2027-01-01&page=${200 + (n % 100)}`,
            `/api/tags?page=${200 + (n % 100)}`,
            `/api/profiles/anna-0/followers?page=${200 + (n % 100)}`
          ][n % 4] ?? ""
      })),
      200,
      503
    )
  )

  attack("profiles are listed of a role that everybody holds", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path: `/api/profiles?roles=${idOf("role", 0)}&page=${n % 400}&sort=${["name", "-handle"][n % 2]}`
      })),
      200,
      400,
      503
    )
  )

  attack("many follow one account, and stop", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) => ({
          method: n % 2 === 0 ? "PUT" : "DELETE",
          path: "/api/profiles/anna-1500/followers",
          headers: target.members(n >> 1).headers
        })),
        200,
        503
      )
    )
  )
}
