import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { daysMax, type ExpiryRule } from "../../../src/domain/oauthclient/InitialAccessToken.ts"
import { decideExpiry } from "../../../src/domain/oauthclient/InitialAccessTokenRules.ts"

const now = DateTime.makeUnsafe("2026-11-26T09:15:31.022Z")
const after = (milliseconds: number) => DateTime.add(now, { milliseconds })
const day = 24 * 60 * 60 * 1000

const accepted: ReadonlyArray<
  readonly [at: DateTime.Utc | undefined, seconds: number | undefined, ends: number]
> = [
  [after(1), undefined, 1],
  [after(day), undefined, day],
  [after(daysMax * day), undefined, daysMax * day],
  [undefined, 1, 1000],
  [undefined, (daysMax * day) / 1000, daysMax * day]
]

const refused: ReadonlyArray<
  readonly [at: DateTime.Utc | undefined, seconds: number | undefined, rule: ExpiryRule]
> = [
  [undefined, undefined, "missing"],
  [after(day), 60, "twice"],
  [now, undefined, "past"],
  [after(-1), undefined, "past"],
  [after(daysMax * day + 1), undefined, "too-late"],
  [undefined, (daysMax * day) / 1000 + 1, "too-late"]
]

describe("the end of an initial access token", () => {
  it.each(accepted)("by %s or %s is accepted", (at, seconds, ends) => {
    assert.deepStrictEqual(decideExpiry(now, at, seconds), Result.succeed(after(ends)))
  })

  it.each(refused)("by %s or %s is refused: %s", (at, seconds, rule) => {
    const decided = decideExpiry(now, at, seconds)
    assert.deepStrictEqual(Result.isFailure(decided) && decided.failure.metadata, { rule })
  })
})
