import { flood, fromMany } from "../clients.ts"
import { answered, attack, refusedSome, whileOthersWrite } from "../harness.ts"
import { idOf } from "../seed.ts"
import type { Target } from "../target.ts"

export const calendar = (target: () => Target) => {
  attack("more attend and decline one event than can at a time", target, (target) =>
    refusedSome(
      whileOthersWrite(
        target,
        answered(
          flood(target, 120, (n) => {
            const { headers, id } = target.members(1 + ((n >> 1) % 150))
            const path = `/api/events/${idOf("event", 1)}/participants/${id}`
            const body = { status: n % 2 === 0 ? "attending" : "declined" }
            return { method: "PUT", path, headers: fromMany(n, headers), body }
          }),
          200,
          403,
          503
        )
      )
    )
  )

  attack("lists of events are read far from their start", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path:
          [`/api/events?page=${20 + (n % 50)}`, `/api/events?q=an&page=${n % 60}`, "/api/events?q=zq"][
            n % 3
          ] ?? "",
        headers: n % 2 === 0 ? target.members(n).headers : {}
      })),
      200,
      400,
      503
    )
  )
}
