import { flood } from "../clients.ts"
import { answered, attack } from "../harness.ts"
import type { Target } from "../target.ts"

/** Each takes long to bring into the form in which words are compared, or resembles all words of the lists. */
const texts = [
  "\ufdfa".repeat(40_000),
  `a${"\u0315\u0300\u05ae\u0301".repeat(30_000)}`,
  "a".repeat(120_000),
  "ab".repeat(60_000),
  "a".repeat(89).concat("c").repeat(1300),
  "\u{1d400}\u00ad".repeat(40_000)
]

export const moderation = (target: () => Target) => {
  attack("texts are written that are hard to compare with words", target, (target) =>
    answered(
      flood(target, 16, (n) => ({
        method: "POST",
        path: n % 2 === 0 ? `/api/threads/${target.spare}/replies` : "/api/threads",
        headers: target.members(n).headers,
        body: {
          title: texts[n % texts.length]?.slice(0, 255),
          body: `<p>${texts[(n >> 1) % texts.length]}</p>`,
          visibility: "published"
        }
      })),
      200,
      400,
      503
    )
  )
}
