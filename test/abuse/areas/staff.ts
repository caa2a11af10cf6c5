/** What members report and staff look after: long lists, and many who change the same few rows. */
import { flood } from "../clients.ts"
import { answered, attack, whileOthersWrite } from "../harness.ts"
import { idOf } from "../seed.ts"
import type { Target } from "../target.ts"

const words = Array.from({ length: 1000 }, (_, n) => `${"ab".repeat(45)}${n}`)

export const staff = (target: () => Target) => {
  attack("roles are created, changed, ordered and deleted at once", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) => {
          const role = `/api/roles/${idOf("role", 0)}`
          const change = [
            {
              method: "POST",
              path: "/api/roles",
              body: { name: `Role ${n}`, colour: "red", permissions: ["MANAGE_POSTS"] }
            },
            { method: "PATCH", path: role, body: { name: `Everybody ${n}` } },
            { method: "PATCH", path: "/api/roles/order", body: { role_ids: [idOf("role", 0)] } },
            { method: "DELETE", path: `/api/roles/${idOf("role", 1 + n)}` },
            { method: "GET", path: "/api/roles" }
          ][n % 5]
          return { method: "GET", path: role, ...change, headers: target.admin }
        }),
        200,
        400,
        404,
        409,
        503
      )
    )
  )

  attack("a role is given to many and taken away", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) => ({
          method: n % 2 === 0 ? "PUT" : "DELETE",
          path: `/api/accounts/anna-${n % 190}/roles/${idOf("role", 0)}`,
          headers: target.admin
        })),
        200,
        400,
        503
      )
    )
  )

  attack("access keys are created and revoked, and made up", target, (target) =>
    answered(
      flood(target, 64, (n) => {
        const creation = { method: "POST", body: { name: `key ${n}` }, headers: target.admin }
        const madeUp = `fpk_${String(n).padStart(43, "x")}`
        return (
          [
            { path: "/api/auth/access-keys", ...creation },
            { path: "/api/auth/access-keys", headers: target.admin },
            { path: "/api/admin/access-keys", headers: target.admin },
            { path: "/api/accounts", headers: { authorization: `Bearer ${madeUp}` } }
          ][n % 4] ?? { path: "/" }
        )
      }),
      200,
      400,
      401,
      409,
      503
    )
  )

  attack("more invitations are created, listed and tried than there may be", target, (target) =>
    answered(
      flood(target, 64, (n) =>
        n % 3 === 0
          ? {
              method: "POST",
              path: "/api/invitations",
              headers: target.admin,
              body: { message: "Come in. ".repeat(200) }
            }
          : n % 3 === 1
            ? { path: `/api/invitations?page=${1 + (n % 3)}`, headers: target.admin }
            : {
                method: "POST",
                path: `/api/auth/password/signup?invitation_id=${idOf("post", n)}`,
                body: { identifier: `guest-${n}`, token: "a long password" }
              }
      ),
      200,
      400,
      403,
      409,
      503
    )
  )

  attack("everything is reported by everybody, and the reports are listed", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) =>
          n % 4 === 0
            ? { path: `/api/reports?page=${1 + (n % 200)}`, headers: target.admin }
            : {
                method: "POST",
                path: "/api/reports",
                headers: target.members(n).headers,
                body: { target_id: idOf("post", n % 6000), target_kind: "reply", comment: "No. ".repeat(400) }
              }
        ),
        200,
        400,
        503
      )
    )
  )

  attack("notes are written on one account, and read", target, (target) =>
    answered(
      flood(target, 64, (n) => {
        const path = `/api/accounts/${idOf("account", 7)}/moderation-notes`
        return n % 2 === 0
          ? { path, headers: target.admin }
          : { method: "POST", path, headers: target.admin, body: { content: "x".repeat(2000) } }
      }),
      200,
      400,
      503
    )
  )

  attack("the audit log is read far from its end, by types and ranges", target, (target) =>
    answered(
      flood(target, 64, (n) => ({
        path: `/api/admin/audit-events?${
          [
            `page=${600 + (n % 200)}`,
            `types=thread_deleted&types=account_suspended&page=${300 + (n % 100)}`,
            `range=2026-01-01/2027-01-01&page=${300 + (n % 100)}`,
            `types=internal_error&range=2026-01-01/`
          ][n % 4]
        }`,
        headers: target.admin
      })),
      200,
      503
    )
  )

  attack("the settings are changed by many at once, with the longest lists", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) => ({
          method: "PATCH",
          path: "/api/admin",
          headers: target.admin,
          body:
            n % 2 === 0
              ? { title: `Forum ${n}`, metadata: { n } }
              : { services: { moderation: { word_report_list: [...words.slice(1), `word ${n}`] } } }
        })),
        200,
        503
      )
    )
  )
}
