/** Programs that register as clients of OAuth, from one network and from thousands. */
import { type Call, flood } from "../clients.ts"
import { answered, attack, whileOthersWrite } from "../harness.ts"
import type { Target } from "../target.ts"

/** What the service is told, so that strangers may register at all. */
export const openRegistration = { OAUTH_DYNAMIC_REGISTRATION_ENABLED: "true" }

/** A stranger on a network of their own, of which there are sixteen thousand. */
const stranger = (n: number) => ({ "x-forwarded-for": `10.${n % 64}.${(n >> 6) % 256}.1` })

const register = (headers: Readonly<Record<string, string>>, more: object = {}): Call => ({
  method: "POST",
  path: "/api/oauth/register",
  headers,
  body: { client_name: "Client", redirect_uris: ["https://client.example/callback"], ...more }
})

export const registrations = (target: () => Target) => {
  attack("clients with secrets register from thousands of networks", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) => register(stranger(n))),
        201,
        400,
        503
      )
    )
  )

  attack("clients without secrets register from one network and from many", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) =>
          register(stranger(n % 2 === 0 ? 7 : n), { token_endpoint_auth_method: "none" })
        ),
        201,
        400,
        429,
        503
      )
    )
  )

  attack("thousands guess at tokens that let programs register, and at those of clients", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) => {
          const headers = { ...stranger(n), authorization: `Bearer fiat_${String(n).padStart(43, "A")}` }
          return n % 2 === 0
            ? register(headers)
            : { method: "GET", path: `/api/oauth/register/foc_${n}`, headers }
        }),
        401,
        503
      )
    )
  )
}
