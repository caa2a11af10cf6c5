import { call, flood, fromMany, repeat } from "../clients.ts"
import { answered, attack, refusedSome, whileOthersWrite } from "../harness.ts"
import { idOf } from "../seed.ts"
import type { Target } from "../target.ts"

const emoji = ["👍", "🎉", "🍌", "👀"]

export const reactions = (target: () => Target) => {
  attack("many like one post, and take it back", target, (target) =>
    refusedSome(
      whileOthersWrite(
        target,
        answered(
          flood(target, 100, (n) => ({
            method: n % 2 === 0 ? "PUT" : "DELETE",
            path: `/api/likes/posts/${target.spare}`,
            headers: fromMany(n, target.members(n >> 1).headers)
          })),
          200,
          503
        )
      )
    )
  )

  attack("many react to one post, and take it back", target, (target) =>
    refusedSome(
      whileOthersWrite(
        target,
        answered(
          repeat(100, async (n, agent) => {
            const headers = fromMany(n, target.members(n).headers)
            const path = `/api/posts/${target.spare}/reacts`
            const body = { emoji: emoji[n % emoji.length] }
            const { json, status } = await call(target.port, { agent, method: "PUT", path, headers, body })
            if (status !== 200) return status
            return (await call(target.port, { agent, method: "DELETE", path: `${path}/${json.id}`, headers }))
              .status
          }),
          200,
          409,
          503
        )
      )
    )
  )

  attack(
    "likes are listed of a post that everybody likes, and of an account that likes everything",
    target,
    (target) =>
      answered(
        flood(target, 64, (n) => ({
          path:
            n % 2 === 0
              ? `/api/likes/posts/${idOf("post", 0)}`
              : `/api/likes/profiles/anna-1?page=${1 + (n % 21)}`
        })),
        200,
        503
      )
  )
}
