/** Devices that begin on thousands of networks, ask all the time, and codes that are guessed. */
import { call, flood, forwarded } from "../clients.ts"
import { answered, attack, refusedSome, whileOthersWrite } from "../harness.ts"
import type { Target } from "../target.ts"

const form = { "content-type": "application/x-www-form-urlencoded" }

const grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"

/** A device of the command line that begins on a network of its own, of which there are sixteen thousand. */
const beginning = (n: number) => ({
  method: "POST",
  path: "/api/oauth/device_authorization",
  headers: { ...form, ...forwarded(`10.${n % 64}.${(n >> 6) % 256}.1`) },
  body: "client_id=forum-cli&scope=openid+profile+offline_access"
})

export const devices = (target: () => Target) => {
  attack("one network begins all the time", target, (target) =>
    refusedSome(
      whileOthersWrite(
        target,
        answered(
          flood(target, 64, (n) => ({
            ...beginning(n),
            headers: { ...form, ...forwarded("10.200.0.1") }
          })),
          200,
          429,
          503
        )
      ),
      429
    )
  )

  attack("a device asks all the time, and others with codes that there are not", target, async (target) => {
    const { json } = await call(target.port, {
      ...beginning(0),
      headers: { ...form, ...forwarded("10.201.0.1") }
    })
    const known = String(json.device_code)
    await whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) => ({
          method: "POST",
          path: "/api/oauth/token",
          headers: { ...form, ...forwarded(`10.202.${n % 256}.1`) },
          body: `grant_type=${grant}&client_id=forum-cli&device_code=${n % 2 === 0 ? known : "x".repeat(43)}`
        })),
        400,
        503
      )
    )
  })

  attack("members guess at the codes of devices", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) => ({
          method: n % 2 === 0 ? "GET" : "POST",
          path: `/api/oauth/device/consent?user_code=${String(n).padStart(8, "0")}`,
          headers: { ...target.members(n).headers, ...forwarded(`10.203.${n % 256}.1`) },
          ...(n % 2 === 0 ? {} : { body: { user_code: String(n).padStart(8, "0"), decision: "deny" } })
        })),
        400,
        429,
        503
      )
    )
  )

  attack("more devices begin than there is room for", target, (target) =>
    whileOthersWrite(target, answered(flood(target, 64, beginning), 200, 503))
  )
}
