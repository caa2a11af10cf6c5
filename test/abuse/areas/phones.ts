/** Text messages that strangers on many networks ask for, and guesses at codes, while the provider is out of reach. */
import { type Call, flood } from "../clients.ts"
import { answered, attack, whileOthersWrite } from "../harness.ts"
import type { Target } from "../target.ts"

/** A stranger on a network of their own, of which there are sixteen thousand. */
const stranger = (n: number) => ({ "x-forwarded-for": `10.${n % 64}.${(n >> 6) % 256}.1` })

const ask = (n: number, identifier: string, phone_number: string): Call => ({
  method: "POST",
  path: "/api/auth/phone",
  headers: stranger(n),
  body: { identifier, phone_number }
})

export const phones = (target: () => Target) => {
  attack("thousands of new numbers are sent codes", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) => ask(n, `caller-${n}`, `+4915${String(n).padStart(9, "0")}`)),
        200,
        503
      )
    )
  )

  attack("hundreds of networks ask for messages to one number and with one handle", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) =>
          n % 2 === 0
            ? ask(n, `wanted-${n}`, "+4916000000000")
            : ask(n, "wanted", `+4917${String(n).padStart(9, "0")}`)
        ),
        200,
        403,
        503
      )
    )
  )

  attack("thousands guess at the code of one sign-up", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) => ({
          method: "PUT",
          path: "/api/auth/phone/wanted",
          headers: stranger(n),
          body: { code: String(n % 1_000_000).padStart(6, "0") }
        })),
        403,
        503
      )
    )
  )
}
