/** Clients that come from many networks, or say so, and what counts them. */
import { assert } from "vitest"
import { flood, forwarded } from "../clients.ts"
import { answered, attack, print } from "../harness.ts"
import { growthDuring, type Target } from "../target.ts"

/** By how many megabytes the service may grow for thousands of new clients, which it counts, and for their requests. */
const growthMax = 80

export const networks = (target: () => Target) => {
  attack("every request comes from another network, and Redis never answers", target, async (target) => {
    const flooding = flood(target, 64, (n) => ({
      path: "/api/version",
      headers: forwarded(`2001:db8:${n >> 16}:${(n & 0xffff).toString(16)}::1`)
    }))
    const growth = await growthDuring(target, answered(flooding, 200))
    print(`the service grew by ${Math.round(growth)} MB`)
    assert.isBelow(growth, growthMax)
    assert.isAbove(target.redis.most(), 0)
  })

  attack("a network goes on when it has used all that it may", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path: "/api/info",
        headers: forwarded(`2001:db8:ffff:1::${(n & 0xffff).toString(16)}`)
      })),
      429,
      200
    )
  )

  attack("requests were forwarded by hundreds of proxies", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path: "/api/version",
        headers: forwarded(["127.0.0.1,", "::ffff:127.0.0.1, ", "1.2.3,", ","][n % 4]?.repeat(700) ?? "")
      })),
      200
    )
  )
}
