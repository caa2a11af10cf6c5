/** Mails that strangers cause, while the mail server never says that it has taken one. */
import { assert } from "vitest"
import { type Call, flood } from "../clients.ts"
import { answered, attack, print, whileOthersWrite } from "../harness.ts"
import { addressOf } from "../seedEntering.ts"
import { home, type Target } from "../target.ts"

/** Mails that are sent at the same time. */
const mailsMax = 4

/** What sends a mail to the address of an account. */
const mailTo = ({ members }: Target, account: number, n: number): Call => {
  const email = addressOf(account)
  const token_url = { url: `${home}/reset`, query: "token" }
  const requests: ReadonlyArray<Omit<Call, "method">> = [
    { path: "/api/auth/email/signin", body: { email } },
    { path: "/api/auth/email/signup", body: { email } },
    { path: "/api/auth/email-password/reset", body: { email, token_url } },
    { path: "/api/accounts/self/emails", headers: members(account).headers, body: { email_address: email } }
  ]
  return { method: "POST", path: "", ...requests[n % requests.length] }
}

export const mail = (target: () => Target) => {
  attack("thousands of new addresses are sent codes", target, async (target) => {
    await whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) => ({
          method: "POST",
          path: "/api/auth/email/signup",
          body: { email: `guest-${n}@example.com` }
        })),
        200,
        503
      )
    )
    print(`at most ${target.mailServer.most()} mails at a time`)
    assert.isAbove(target.mailServer.most(), 0)
    assert.isAtMost(target.mailServer.most(), mailsMax)
  })

  attack("one address is sent codes and tokens by hundreds", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) => mailTo(target, 0, n)),
        403,
        200,
        422,
        503
      )
    )
  )

  attack("hundreds of addresses are sent codes and tokens", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) => mailTo(target, 1 + ((n >> 2) % 180), n)),
        200,
        403,
        422,
        503
      )
    )
  )

  attack("wrong codes are sent back, and others asked for", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) =>
          n % 6 === 0
            ? mailTo(target, (n / 6) % 180, 0)
            : {
                method: "POST",
                path: "/api/auth/email/verify",
                body: { email: addressOf(n % 180), code: String(n % 1_000_000).padStart(6, "0") }
              }
        ),
        401,
        200,
        403,
        429,
        503
      )
    )
  )

  attack("members add as many addresses as they may, and more", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) => ({
          method: "POST",
          path: "/api/accounts/self/emails",
          headers: target.members(100 + (n % 4)).headers,
          body: { email_address: `more-${n}@example.com` }
        })),
        200,
        400,
        503
      )
    )
  )

  attack("the queue of mails is searched, and read far from its start", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path: `/api/admin/email-queue?${
          [
            `page=${1 + (n % 100)}`,
            "q=example",
            `statuses=pending&statuses=processing&page=${1 + (n % 50)}`,
            `range=2026-01-01/2027-01-01&page=${1 + (n % 100)}`
          ][n % 4]
        }`,
        headers: target.admin
      })),
      200,
      503
    )
  )
}
