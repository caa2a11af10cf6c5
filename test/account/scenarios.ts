import { Effect } from "effect"
import {
  AccountNotFound,
  AdministratorHidden,
  AdministratorProtected,
  HandleTaken
} from "../../src/domain/account/Account.ts"
import { EmailAddressTaken } from "../../src/domain/account/Email.ts"
import { OwnAdminRole } from "../../src/domain/role/RoleRefusal.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { png } from "../support/files.ts"
import { Cast, grant, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { emailScenarios } from "./email-scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  const ofEmails = yield* emailScenarios
  yield* grant(loki, "VIEW_ACCOUNTS", "MANAGE_ACCOUNTS")
  const { etag = "" } = (yield* freya.get("/accounts")).headers
  const known = { headers: { "if-none-match": etag } }
  const avatar = "/accounts/freya/avatar"
  const { etag: drawn = "" } = (yield* guest.get(avatar)).headers
  const provisioned = {
    handle: "provided",
    email_address: "provided@asgard.example",
    admin: true,
    verified_status: "manual",
    interests: ["bridges"]
  }
  const changes = { name: "Odin", bio: "<p>One eye</p>", interests: ["ravens", "runes"] }
  return [
    { operation: "AccountGet", call: freya.get("/accounts"), expects: 200, statements: 4 },
    { operation: "AccountGet", when: "not changed", call: freya.get("/accounts", known), expects: 304 },
    { operation: "AccountGet", when: "by a guest", call: guest.get("/accounts"), expects: Unauthenticated },
    {
      operation: "AccountUpdate",
      call: freya.patch("/accounts", { name: "F" }),
      expects: 200,
      statements: 6
    },
    {
      operation: "AccountUpdate",
      when: "with interests",
      call: odin.patch("/accounts", changes),
      expects: 200,
      statements: 10
    },
    {
      operation: "AccountUpdate",
      when: "with a number for a name",
      call: odin.patch("/accounts", { name: 5 }),
      expects: InvalidRequest
    },
    {
      operation: "AccountUpdate",
      when: "to the handle of another",
      call: odin.patch("/accounts", { handle: "freya" }),
      expects: HandleTaken
    },
    { operation: "AccountView", call: odin.get(`/accounts/${freya.id}`), expects: 200, statements: 4 },
    {
      operation: "AccountView",
      when: "without the permission",
      call: freya.get(`/accounts/${odin.id}`),
      expects: Forbidden
    },
    {
      operation: "AccountView",
      when: "of an administrator",
      call: loki.get(`/accounts/${odin.id}`),
      expects: AdministratorHidden
    },
    {
      operation: "AccountView",
      when: "unknown",
      call: odin.get(`/accounts/${nobody}`),
      expects: AccountNotFound
    },
    {
      operation: "AccountGetAvatar",
      when: "that is drawn",
      call: guest.get(avatar),
      expects: 200,
      statements: 1
    },
    {
      operation: "AccountGetAvatar",
      when: "not changed",
      call: guest.get(avatar, { headers: { "if-none-match": drawn } }),
      expects: 304,
      statements: 1
    },
    {
      operation: "AccountSetAvatar",
      call: freya.post("/accounts/self/avatar", png(1, 1)),
      expects: 200,
      statements: 7
    },
    { operation: "AccountGetAvatar", call: guest.get(avatar), expects: 200, statements: 2 },
    {
      operation: "AccountGetAvatar",
      when: "of an unknown account",
      call: guest.get("/accounts/nope/avatar"),
      expects: AccountNotFound
    },
    { operation: "AccountList", call: loki.get("/admin/accounts"), expects: 200, statements: 4 },
    {
      operation: "AccountList",
      when: "of all kinds at once",
      call: odin.get(
        `/admin/accounts?q=o&sort=-name&roles=${nobody}&invited_by=odin&joined=2026-01-01/&kind=bot&auth_service=password`
      ),
      expects: 200,
      statements: 3
    },
    {
      operation: "AccountList",
      when: "of some",
      call: odin.get("/admin/accounts?suspended=false&sort=updated_at"),
      expects: 200,
      statements: 3
    },
    {
      operation: "AccountList",
      when: "far away",
      call: odin.get("/admin/accounts?page=21"),
      expects: 200,
      statements: 2
    },
    {
      operation: "AccountList",
      when: "without the permission",
      call: freya.get("/admin/accounts"),
      expects: Forbidden
    },
    ...ofEmails,
    {
      operation: "AccountManageCreate",
      call: odin.post("/accounts", { handle: "made" }),
      expects: 200,
      statements: 8
    },
    {
      operation: "AccountManageCreate",
      when: "with all there is",
      call: odin.post("/accounts", provisioned),
      expects: 200,
      statements: 17
    },
    {
      operation: "AccountManageCreate",
      when: "with a handle that another has",
      call: odin.post("/accounts", { handle: "made" }),
      expects: HandleTaken
    },
    {
      operation: "AccountManageCreate",
      when: "with an address that another has",
      call: odin.post("/accounts", { ...provisioned, handle: "other" }),
      expects: EmailAddressTaken
    },
    {
      operation: "AccountManageCreate",
      when: "as an administrator, by a manager",
      call: loki.post("/accounts", { handle: "other", admin: true }),
      expects: Forbidden
    },
    {
      operation: "AccountManageUpdate",
      call: loki.patch(`/accounts/${freya.id}`, { name: "Freyja", verified_status: "manual" }),
      expects: 200,
      statements: 15
    },
    {
      operation: "AccountManageUpdate",
      when: "to an administrator",
      call: odin.patch(`/accounts/${freya.id}`, { admin: true }),
      expects: 200,
      statements: 16
    },
    {
      operation: "AccountManageUpdate",
      when: "of an administrator",
      call: loki.patch(`/accounts/${odin.id}`, { name: "x" }),
      expects: AdministratorProtected
    },
    {
      operation: "AccountManageUpdate",
      when: "of oneself to no administrator",
      call: odin.patch(`/accounts/${odin.id}`, { admin: false }),
      expects: OwnAdminRole
    },
    {
      operation: "AccountManageUpdate",
      when: "unknown",
      call: odin.patch(`/accounts/${nobody}`, { name: "x" }),
      expects: AccountNotFound
    },
    {
      operation: "AccountView",
      when: "with a malformed id",
      call: odin.get("/accounts/nope"),
      expects: InvalidRequest
    }
  ]
})
