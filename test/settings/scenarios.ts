import { Effect } from "effect"
import { MessagePeriodInvalid, SettingsTooLarge } from "../../src/domain/settings/GeneralSetting.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { MarkupTooComplex } from "../../src/domain/text/TextProblem.ts"
import { Cast, guest } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  return [
    {
      operation: "AdminSettingsUpdate",
      call: odin.patch("/admin", { title: "Engine room" }),
      expects: 200,
      statements: 7
    },
    { operation: "AdminSettingsGet", call: odin.get("/admin"), expects: 200, statements: 2 },
    {
      operation: "AdminSettingsGet",
      when: "by a guest",
      call: guest.get("/admin"),
      expects: Unauthenticated
    },
    { operation: "AdminSettingsGet", when: "by a member", call: freya.get("/admin"), expects: Forbidden },
    {
      operation: "AdminSettingsUpdate",
      when: "with a message that ends before it starts",
      call: odin.patch("/admin", {
        motd: { content: "x", start_at: "2026-11-22T00:00:00Z", end_at: "2026-11-21T00:00:00Z" }
      }),
      expects: MessagePeriodInvalid
    },
    {
      operation: "AdminSettingsUpdate",
      when: "with a text that is too long",
      call: odin.patch("/admin", { content: "x".repeat(150_000) }),
      expects: SettingsTooLarge
    },
    {
      operation: "AdminSettingsUpdate",
      when: "with a text of too many characters",
      call: odin.patch("/admin", { content: "x".repeat(700_000) }),
      expects: MarkupTooComplex
    }
  ]
})
