import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  decideRegistration,
  type NamedInvitation
} from "../../../src/domain/authentication/RegistrationRules.ts"
import { InvitationId } from "../../../src/domain/shared/Id.ts"

const id = InvitationId.make("00000000000000000500")
const none: NamedInvitation = { _tag: "None" }
const found: NamedInvitation = { _tag: "Found", id }
const unknown: NamedInvitation = { _tag: "Unknown", id }

describe("signing up", () => {
  it.each([
    ["public", none, true],
    ["public", found, true],
    ["public", unknown, false],
    ["invitation", none, false],
    ["invitation", found, true],
    ["invitation", unknown, false],
    ["disabled", none, false],
    ["disabled", found, false],
    ["disabled", unknown, false]
  ] as const)("in mode %s with %j is possible: %s", (mode, invitation, expected) => {
    const decision = decideRegistration(mode, invitation)
    assert.strictEqual(Result.isSuccess(decision), expected)
    if (Result.isFailure(decision)) {
      const { invitation_id, registration_mode } = decision.failure.metadata
      assert.strictEqual(registration_mode, mode)
      assert.strictEqual(invitation_id, invitation._tag === "None" ? undefined : id)
    }
  })
})
