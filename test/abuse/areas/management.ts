/** What administrators do with accounts: many at once, and much of each. */
import { assert } from "vitest"
import { type Call, call, flood, repeat } from "../clients.ts"
import { answered, attack, whileOthersWrite } from "../harness.ts"
import { idOf } from "../seed.ts"
import type { Target } from "../target.ts"

const everything = ["threads", "replies", "reacts", "likes", "nodes", "collections", "profile_bio"]

export const management = (target: () => Target) => {
  attack("all that accounts made is removed while others read and write", target, async (target) => {
    const reading = answered(
      flood(target, 16, (n) => ({
        path: n % 2 === 0 ? `/api/threads?page=${1 + (n % 20)}` : `/api/threads/${idOf("thread", n % 50)}`
      })),
      200,
      404
    )
    const purging = repeat(2, async (n, agent) => {
      const body = { action: "purge_account", account_id: idOf("account", 1 + n), include: everything }
      const path = "/api/admin/actions"
      return (await call(target.port, { agent, method: "POST", path, headers: target.admin, body })).status
    })
    await whileOthersWrite(target, Promise.all([reading, answered(purging, 201)]))
  })

  attack("accounts are made for many, and become administrators and members", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) => {
          const one = `/api/accounts/${idOf("account", 500 + (n % 20))}`
          const requests: ReadonlyArray<Omit<Call, "headers">> = [
            {
              method: "POST",
              path: "/api/accounts",
              body: { handle: `made-${n}`, email_address: `made-${n}@example.com`, bio: "<p>Made.</p>" }
            },
            { method: "POST", path: "/api/accounts", body: { handle: `anna-${n}`, admin: true } },
            { method: "PATCH", path: one, body: { admin: n % 8 === 2, name: `Anna ${n}` } },
            { method: "PATCH", path: one, body: { meta: { n }, verified_status: "manual" } }
          ]
          return { path: "", ...requests[n % requests.length], headers: target.admin }
        }),
        200,
        409,
        503
      )
    )
  )

  attack("the list of all accounts is read at its far end, and searched", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path: `/api/admin/accounts?${
          [
            `page=${380 + (n % 30)}&sort=${["name", "-handle", "updated_at", "-created_at"][(n >> 2) % 4]}`,
            `page=${300 + (n % 100)}&suspended=false&admin=false&kind=human&auth_service=password`,
            `joined=2026-01-01/2027-01-01&page=${380 + (n % 30)}`,
            `q=${["a", "an", "anna-1", "example.com"][(n >> 2) % 4]}&page=${n % 200}&roles=${idOf("role", 0)}`
          ][n % 4]
        }`,
        headers: target.admin
      })),
      200,
      400,
      503
    )
  )

  attack("the oldest entries of the audit log are read, and pages beyond", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path: `/api/admin/audit-events${
          [
            `?page=${990 + (n % 30)}`,
            `?types=account_suspended&page=${330 + (n % 10)}`,
            `?types=thread_deleted&range=/2026-01-02&page=${n % 600}`,
            `/${idOf("audit", n % 50_000)}`
          ][n % 4]
        }`,
        headers: target.admin
      })),
      200,
      400,
      503
    )
  )

  attack("one member reports the same without end, and many deal with it", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        repeat(100, async (n, agent) => {
          const { headers } = target.members(n % 20)
          const body = { target_id: target.thread, target_kind: "thread", comment: `${n} `.repeat(300) }
          const made = await call(target.port, { agent, method: "POST", path: "/api/reports", headers, body })
          if (made.status !== 200) return made.status
          const path = `/api/reports/${made.json.id}`
          const status = n % 2 === 0 ? "acknowledged" : "resolved"
          return (
            await call(target.port, { agent, method: "PATCH", path, headers: target.admin, body: { status } })
          ).status
        }),
        200,
        409,
        503
      )
    )
  )

  attack("an account is warned and suspended by many at once", target, async (target) => {
    const account = idOf("account", 160)
    const ban = `/api/admin/bans/${account}`
    await whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) => {
          const requests: ReadonlyArray<Omit<Call, "headers">> = [
            {
              method: "POST",
              path: `/api/accounts/${account}/warnings`,
              body: { reason: "No. ".repeat(450) }
            },
            { method: "GET", path: `/api/accounts/${account}/warnings` },
            { method: "POST", path: ban },
            { method: "DELETE", path: ban }
          ]
          return { path: "", ...requests[n % requests.length], headers: target.admin }
        }),
        200,
        409,
        503
      )
    )
    // Whether the last request suspended the account is chance, and later attacks need every member.
    const { status } = await call(target.port, { method: "DELETE", path: ban, headers: target.admin })
    assert.strictEqual(status, 200)
  })
}
