import { Effect } from "effect"
import { AccountNotFound, AdministratorHidden, HandleTaken } from "../../src/domain/account/Account.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { InvalidRequest } from "../../src/http/shared/RequestProblems.ts"
import { png } from "../support/files.ts"
import { Cast, grant, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { emailScenarios } from "./email-scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  const ofEmails = yield* emailScenarios
  yield* grant(loki, "VIEW_ACCOUNTS")
  const { etag = "" } = (yield* freya.get("/accounts")).headers
  const known = { headers: { "if-none-match": etag } }
  const avatar = "/accounts/freya/avatar"
  const { etag: drawn = "" } = (yield* guest.get(avatar)).headers
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
      statements: 6
    },
    { operation: "AccountGetAvatar", call: guest.get(avatar), expects: 200, statements: 2 },
    {
      operation: "AccountGetAvatar",
      when: "of an unknown account",
      call: guest.get("/accounts/nope/avatar"),
      expects: AccountNotFound
    },
    {
      operation: "AccountView",
      when: "with a malformed id",
      call: odin.get("/accounts/nope"),
      expects: InvalidRequest
    },
    ...ofEmails
  ]
})
