import { assert } from "vitest"
import { call, flood, somebodyElse } from "../clients.ts"
import { answered, attack } from "../harness.ts"
import type { Target } from "../target.ts"

export const accounts = (target: () => Target) => {
  attack("long lists of nothing are sent", target, (target) =>
    answered(
      flood(target, 8, () => ({
        method: "PATCH",
        path: "/api/accounts",
        headers: target.member,
        body: `{"links":[${"{},".repeat(300_000)}{}]}`
      })),
      400,
      413
    )
  )

  attack("many sign up and guess passwords", target, async (target) => {
    const flooding = flood(target, 100, (n) => ({
      method: "POST",
      path: n % 2 === 0 ? "/api/auth/password/signup" : "/api/auth/password/signin",
      body: { identifier: n % 2 === 0 ? `guest-${n}` : "member", token: `not the password ${n}` }
    }))
    const start = performance.now()
    const { status } = await call(target.port, {
      agent: somebodyElse,
      method: "POST",
      path: "/api/auth/password/signin",
      body: { identifier: "founder", token: "a long password" }
    })
    assert.strictEqual(status, 200)
    assert.isBelow(performance.now() - start, 2000)
    await flooding
  })

  attack("notifications are read and marked in bulk", target, (target) =>
    answered(
      flood(target, 32, (n) =>
        n % 2 === 0
          ? { path: `/api/notifications?page=${n}`, headers: target.member }
          : {
              method: "PATCH",
              path: "/api/notifications",
              headers: target.member,
              body: {
                notifications: Array.from({ length: 20_000 }, (_, n) => ({
                  id: String(n).padStart(20, "0"),
                  status: "read"
                }))
              }
            }
      ),
      200,
      400,
      413,
      503
    )
  )
}
