/** Passkeys that are begun and never made, and answers of authenticators that are wrong. */
import { assert } from "vitest"
import { makePasskey } from "../../support/authenticator.ts"
import { call, flood, repeat } from "../clients.ts"
import { answered, attack, whileOthersSignIn } from "../harness.ts"
import { handleOf } from "../seedEntering.ts"
import { home, type Target } from "../target.ts"

const ours = { origin: home, rpId: new URL(home).hostname }

/** Asks what an authenticator should do, and answers that with the state that browsers keep. */
const begin = async ({ port }: Target, path: string, agent = {}) => {
  const { json, status } = await call(port, { path: `/api/auth/webauthn/${path}`, ...agent })
  assert.strictEqual(status, 200)
  return { asked: json, headers: { cookie: String(json.cookie) } }
}

export const passkeys = (target: () => Target) => {
  attack("passkeys are begun and never made", target, (target) =>
    whileOthersSignIn(
      target,
      answered(
        flood(target, 64, (n) => ({
          path: `/api/auth/webauthn/${n % 2 === 0 ? `make/stranger-${n}` : `assert/${handleOf(n)}`}`
        })),
        200,
        503
      )
    )
  )

  attack("many sign up with passkeys, and some cheat", target, (target) =>
    answered(
      repeat(32, async (n, agent) => {
        const { asked, headers } = await begin(target, `make/keeper-${n}`, { agent })
        const challenge = n % 8 < 7 ? {} : { challenge: "AAAA" }
        const body = makePasskey().create(asked, { ...ours, ...challenge })
        const path = "/api/auth/webauthn/make"
        return (await call(target.port, { agent, method: "POST", path, headers, body })).status
      }),
      200,
      400,
      503
    )
  )

  attack(
    "one answer to a challenge is sent again and again, and others are as long as they may be",
    target,
    async (target) => {
      const passkey = makePasskey({ algorithm: "RS256", modulusLength: 4096 })
      const creation = await begin(target, "make/holder")
      const path = "/api/auth/webauthn/make"
      const body = passkey.create(creation.asked, ours)
      const { status } = await call(target.port, { method: "POST", path, headers: creation.headers, body })
      assert.strictEqual(status, 200)
      const { asked, headers } = await begin(target, "assert/holder")
      const answer = passkey.assert(asked, ours)
      const long = { ...body, response: { ...body.response, attestationObject: "gYGB".repeat(16_000) } }
      await answered(
        flood(target, 64, (n) =>
          n % 2 === 0
            ? { method: "POST", path: "/api/auth/webauthn/assert", headers, body: answer }
            : { method: "POST", path, headers: creation.headers, body: long }
        ),
        401,
        200,
        400,
        409,
        503
      )
    }
  )
}
