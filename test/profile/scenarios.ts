import { Effect } from "effect"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { SelfFollow } from "../../src/domain/profile/PublicProfile.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  ok(yield* odin.patch("/accounts", { interests: ["runes"] }))
  ok(yield* odin.put("/profiles/loki/followers"))
  const { etag = "" } = (yield* guest.get("/profiles/odin")).headers
  const known = { headers: { "if-none-match": etag } }
  return [
    { operation: "ProfileList", call: guest.get("/profiles"), expects: 200, statements: 6 },
    {
      operation: "ProfileList",
      when: "of all kinds at once",
      call: guest.get(`/profiles?q=o&sort=-name&roles=${nobody}&invited_by=odin&joined=2026-01-01/`),
      expects: 200,
      statements: 2
    },
    {
      operation: "ProfileList",
      when: "far away",
      call: guest.get("/profiles?page=21"),
      expects: 200,
      statements: 2
    },
    {
      operation: "ProfileList",
      when: "with a malformed range",
      call: guest.get("/profiles?joined=a/b/c"),
      expects: InvalidRequest
    },
    { operation: "ProfileGet", call: guest.get("/profiles/odin"), expects: 200, statements: 4 },
    { operation: "ProfileGet", when: "not changed", call: guest.get("/profiles/odin", known), expects: 304 },
    {
      operation: "ProfileGet",
      when: "unknown",
      call: guest.get("/profiles/nobody"),
      expects: AccountNotFound
    },
    {
      operation: "ProfileFollowersGet",
      call: guest.get("/profiles/loki/followers"),
      expects: 200,
      statements: 3
    },
    {
      operation: "ProfileFollowersGet",
      when: "of an unknown account",
      call: guest.get("/profiles/nobody/followers"),
      expects: AccountNotFound
    },
    {
      operation: "ProfileFollowingGet",
      call: guest.get("/profiles/odin/following"),
      expects: 200,
      statements: 2
    },
    {
      operation: "ProfileFollowingGet",
      when: "far away",
      call: guest.get("/profiles/odin/following?page=21"),
      expects: 200,
      statements: 1
    },
    {
      operation: "ProfileFollowingGet",
      when: "of an unknown account",
      call: guest.get("/profiles/nobody/following"),
      expects: AccountNotFound
    },
    {
      operation: "ProfileFollowersAdd",
      call: freya.put("/profiles/loki/followers"),
      expects: 200,
      statements: 4
    },
    {
      operation: "ProfileFollowersAdd",
      when: "who is followed already",
      call: odin.put("/profiles/loki/followers"),
      expects: 200,
      statements: 3
    },
    {
      operation: "ProfileFollowersAdd",
      when: "unknown",
      call: odin.put("/profiles/nobody/followers"),
      expects: AccountNotFound
    },
    {
      operation: "ProfileFollowersAdd",
      when: "oneself",
      call: loki.put("/profiles/loki/followers"),
      expects: SelfFollow
    },
    {
      operation: "ProfileFollowersAdd",
      when: "by a guest",
      call: guest.put("/profiles/loki/followers"),
      expects: Unauthenticated
    },
    {
      operation: "ProfileFollowersRemove",
      call: odin.delete("/profiles/loki/followers"),
      expects: 200,
      statements: 4
    },
    {
      operation: "ProfileFollowersRemove",
      when: "unknown",
      call: odin.delete("/profiles/nobody/followers"),
      expects: AccountNotFound
    }
  ]
})
