import { flood, fromMany } from "../clients.ts"
import { answered, attack } from "../harness.ts"
import type { Target } from "../target.ts"

export const feeds = (target: () => Target) => {
  attack("feeds are read by many at once, while what is in them changes", target, (target) =>
    answered(
      flood(target, 96, (n) => {
        const format = ["atom", "rss", "json"][n % 3]
        const path =
          [
            `/api/feeds/threads.${format}`,
            `/api/feeds/threads/${target.thread}.${format}`,
            `/api/feeds/library.${format}`,
            `/api/feeds/events.ics?from=1900-01-01T00:00:00Z`
          ][n % 4] ?? ""
        return n % 8 === 0
          ? {
              method: "POST",
              path: `/api/threads/${target.spare}/replies`,
              headers: target.member,
              body: { body: `<p>${"long ".repeat(1500)}</p>` }
            }
          : { path, headers: fromMany(n, {}) }
      }),
      200,
      503
    )
  )

  attack("keys of calendars are guessed", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path: `/api/feeds/calendar.ics?key=${String(n).padStart(43, "x")}`,
        headers: fromMany(n, {})
      })),
      404,
      429,
      503
    )
  )
}
