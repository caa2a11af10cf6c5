/** Receivers of webhooks that never answer, while much happens. */
import { assert } from "vitest"
import { call, flood } from "../clients.ts"
import { answered, attack, print, whileOthersWrite } from "../harness.ts"
import type { Target } from "../target.ts"
import { openTarpits } from "../tarpits.ts"

const webhooks = "/api/admin/webhooks"

const number = 40

/** Deliveries to one webhook at the same time. */
const parallel = 4

export const hooks = (target: () => Target) => {
  attack("webhooks lead to servers that never answer, and all members write", target, async (target) => {
    const { close, most, url } = await openTarpits(20)
    const made: Array<string> = []
    try {
      for (let n = 0; n < number; n++) {
        const body = { url: url(n), events: ["*"] }
        const { json } = await call(target.port, {
          method: "POST",
          path: webhooks,
          headers: target.admin,
          body
        })
        made.push(json.id)
      }
      await whileOthersWrite(
        target,
        answered(
          flood(target, 32, (n) => ({
            method: "POST",
            path: `/api/threads/${target.thread}/replies`,
            headers: target.members(n).headers,
            body: { body: `Reply ${n}` }
          })),
          200,
          503
        )
      )
      print(`${most()} deliveries were awaited at once`)
      assert.isAbove(most(), parallel)
      assert.isAtMost(most(), number * parallel)
    } finally {
      for (const id of made) {
        await call(target.port, { method: "DELETE", path: `${webhooks}/${id}`, headers: target.admin })
      }
      close()
    }
  })
}
