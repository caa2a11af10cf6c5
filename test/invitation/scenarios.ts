import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  InvitationNotFound,
  InvitationNotYours,
  TooManyInvitations
} from "../../src/domain/invitation/Invitation.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { Cast, grant, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

/** Gives an account as many invitations as it may have. */
export const fill = (id: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into invitations (id, created_at, creator_id)
      select 'inv' || lpad(n::text, 16, '0') || '0', 'epoch', ${id} from generate_series(1, 1000) n`
  )

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  yield* grant(freya, "CREATE_INVITATION")
  yield* grant(tyr, "CREATE_INVITATION")
  const { id } = ok(yield* freya.post("/invitations", { message: "Come" }))
  yield* fill(tyr.id)
  const one = `/invitations/${id}`
  return [
    { operation: "InvitationCreate", call: freya.post("/invitations", {}), expects: 200, statements: 3 },
    {
      operation: "InvitationCreate",
      when: "by a guest",
      call: guest.post("/invitations", {}),
      expects: Unauthenticated
    },
    {
      operation: "InvitationCreate",
      when: "by a member",
      call: loki.post("/invitations", {}),
      expects: Forbidden
    },
    {
      operation: "InvitationCreate",
      when: "one too many",
      call: tyr.post("/invitations", {}),
      expects: TooManyInvitations
    },
    { operation: "InvitationGet", call: guest.get(one), expects: 200, statements: 1 },
    {
      operation: "InvitationGet",
      when: "of none",
      call: guest.get(`/invitations/${nobody}`),
      expects: InvitationNotFound
    },
    { operation: "InvitationList", call: odin.get("/invitations"), expects: 200, statements: 3 },
    {
      operation: "InvitationList",
      when: "by a guest",
      call: guest.get("/invitations"),
      expects: Unauthenticated
    },
    {
      operation: "InvitationDelete",
      when: "of another",
      call: loki.delete(one),
      expects: InvitationNotYours
    },
    { operation: "InvitationDelete", call: freya.delete(one), expects: 200, statements: 3 },
    { operation: "InvitationDelete", when: "again", call: freya.delete(one), expects: InvitationNotFound }
  ]
})
