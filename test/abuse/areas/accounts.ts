import { flood } from "../clients.ts"
import { answered, attack, whileOthersSignIn } from "../harness.ts"
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

  attack("many sign up and guess passwords", target, (target) =>
    whileOthersSignIn(
      target,
      answered(
        flood(target, 100, (n) => ({
          method: "POST",
          path: n % 2 === 0 ? "/api/auth/password/signup" : "/api/auth/password/signin",
          body: { identifier: n % 2 === 0 ? `guest-${n}` : "member", token: `not the password ${n}` }
        })),
        200,
        401,
        409,
        429,
        503
      )
    )
  )

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
