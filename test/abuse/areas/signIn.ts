/** Passwords that are guessed from many places, and many who know theirs. */
import { flood, forwarded } from "../clients.ts"
import { answered, attack, refusedSome, whileOthersSignIn } from "../harness.ts"
import type { Target } from "../target.ts"

export const signIn = (target: () => Target) => {
  attack("the password of one account is guessed from thousands of networks", target, (target) =>
    whileOthersSignIn(
      target,
      answered(
        flood(target, 64, (n) => ({
          method: "POST",
          path: "/api/auth/password/signin",
          headers: forwarded(`2001:db8:a:${n.toString(16)}::1`),
          body: { identifier: "member", token: `not the password ${n}` }
        })),
        401,
        429,
        503
      )
    )
  )

  attack("more sign in at once than can wait", target, (target) =>
    refusedSome(
      whileOthersSignIn(
        target,
        answered(
          flood(target, 100, () => ({
            method: "POST",
            path: "/api/auth/password/signin",
            body: { identifier: "member", token: "a long password" }
          })),
          200,
          503
        )
      )
    )
  )
}
