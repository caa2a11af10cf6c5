/** Own data: all accounts ask for theirs, again and again, and archives are received as slowly as can be. */
import { assert } from "vitest"
import { call, flood, fromMany, get, sip, wait } from "../clients.ts"
import { answered, attack, whileOthersWrite } from "../harness.ts"
import type { Target } from "../target.ts"

const path = "/api/accounts/self/export"

/** How many accounts ask for theirs. */
const many = 30

/** How long an archive may take to be made while others are, in milliseconds. */
const patience = 60_000

/** Who has just signed in proves to be the owner so. */
const signIn = ({ rows }: Target) => rows("update sessions set created_at = now()")

const ask = ({ members, port }: Target, n: number) =>
  call(port, { method: "POST", path, headers: members(n).headers, body: {} })

const untilReady = async ({ members, port }: Target, n: number) => {
  const end = performance.now() + patience
  for (;;) {
    const { json } = await call(port, { path, headers: members(n).headers })
    if (json.state === "ready") return
    assert.isBelow(performance.now(), end, "no archive was made")
    await wait(100)
  }
}

export const ownData = (target: () => Target) => {
  attack("thirty accounts ask for their own data again and again", target, async (target) => {
    await signIn(target)
    await whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) => ({
          method: "POST",
          path,
          headers: fromMany(n, target.members(n % many).headers),
          body: {}
        })),
        200,
        409,
        429,
        503
      )
    )
    const asked = await target.rows("select max(asked)::int as most from own_data_exports")
    assert.isAtMost(Number(asked[0]?.most), 3)
  })

  attack("own data is received byte by byte", target, async (target) => {
    await signIn(target)
    const { headers } = target.members(many)
    assert.strictEqual((await ask(target, many)).status, 200)
    await untilReady(target, many)
    const cookie = `cookie: ${headers.cookie}\r\n`
    await whileOthersWrite(
      target,
      sip(target, 200, () => [get(`${path}/archive`, cookie)])
    )
  })
}
