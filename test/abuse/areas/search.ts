import { flood } from "../clients.ts"
import { answered, attack } from "../harness.ts"
import { idOf } from "../seed.ts"
import type { Target } from "../target.ts"

const phrases = [
  "a man had the idea",
  "as long as a banana. a man",
  "a",
  "an",
  "zq",
  "a ".repeat(100),
  "%_".repeat(100),
  "\ufdfa".repeat(200),
  "banana. a zebra"
]

const names = (parameter: string, name: (n: number) => string) =>
  Array.from({ length: 100 }, (_, n) => `${parameter}=${name(n)}`).join("&")

/** As many names as a search takes, which all exist. */
const narrowed = [
  names("authors", (n) => `anna-${n}`),
  names("categories", (n) => `category-${n}`),
  names("tags", (n) => `banana-${n % 5}`),
  `kind=thread&kind=reply&kind=node&${names("authors", (n) => idOf("account", n))}&${names("tags", () => "banana-1")}`
]

export const search = (target: () => Target) => {
  attack("everything is searched for phrases of common words", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path: `/api/datagraph?q=${encodeURIComponent(phrases[n % phrases.length] ?? "")}&page=${1 + (n % 12)}`
      })),
      200,
      503
    )
  )

  attack("searches are narrowed by as many names as they may be", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path: `/api/datagraph?${narrowed[n % narrowed.length]}${n % 2 === 0 ? "" : "&q=banana"}`
      })),
      200,
      503
    )
  )

  attack("titles are suggested for every letter that is typed", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path: `/api/datagraph/matches?q=${encodeURIComponent(["a", "a man has a ba", "b 1 2 3 4 5 6 7", "\ufdfa".repeat(200)][n % 4] ?? "")}`
      })),
      200,
      503
    )
  )
}
