import { DateTime, Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  type Claim,
  type DeviceState,
  decideClaim,
  decideGuessing,
  decidePoll,
  isGuess,
  mayDecide,
  pollSecondsMax,
  slowed
} from "../../../src/domain/oauthdevice/DeviceRules.ts"
import { AccountId, OAuthClientId } from "../../../src/domain/shared/Id.ts"

const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1000)

const freya = AccountId.make("0000000000000000000g")
const loki = AccountId.make("00000000000000000010")
const client = OAuthClientId.make("000000000000000001g0")
const other = OAuthClientId.make("00000000000000000200")

const waiting: DeviceState = {
  clientId: client,
  expiresAt: at(600),
  claimedBy: undefined,
  isApproved: false,
  isDenied: false,
  isConsumed: false,
  lastPolledAt: undefined,
  pollSeconds: 5
}

const claimed = { ...waiting, claimedBy: freya }
const approved = { ...claimed, isApproved: true }
const denied = { ...claimed, isDenied: true }
const consumed = { ...approved, isConsumed: true }

describe("who reads what there is to decide", () => {
  it.each<
    readonly [name: string, device: DeviceState | undefined, seconds: number, Claim, mayDecide: boolean]
  >([
    ["no device", undefined, 0, "unknown", false],
    ["a device that waits", waiting, 0, "claimed", false],
    ["one that is claimed by the account", claimed, 0, "own", true],
    ["one that another has claimed", { ...waiting, claimedBy: loki }, 0, "another's", false],
    ["an approved one", approved, 0, "unknown", false],
    ["a denied one", denied, 0, "unknown", false],
    ["a consumed one", consumed, 0, "unknown", false],
    ["one that waits, at the last moment", waiting, 599.999, "claimed", false],
    ["one that is claimed, at the last moment", claimed, 599.999, "own", true],
    ["one that has expired", waiting, 600, "unknown", false],
    ["one that is claimed and has expired", claimed, 600, "unknown", false],
    ["one of another that has expired", { ...waiting, claimedBy: loki }, 600, "unknown", false]
  ])("%s", (_, device, seconds, claim, may) => {
    expect(decideClaim(device, freya, at(seconds))).toBe(claim)
    expect(mayDecide(device, freya, at(seconds))).toBe(may)
  })
})

describe("a code that is refused as unknown", () => {
  it.each([
    [undefined, true],
    [waiting, true],
    [{ ...waiting, claimedBy: loki }, true],
    [claimed, false],
    [consumed, false]
  ])("is a guess unless it is the account's own", (device, guess) => {
    expect(isGuess(device, freya)).toBe(guess)
  })
})

describe("a device that asks", () => {
  const polled = { lastPolledAt: at(100) }
  it.each<readonly [name: string, device: DeviceState | undefined, seconds: number, outcome: string]>([
    ["without a code that there is", undefined, 0, "unknown"],
    ["with a code of another client", { ...approved, clientId: other }, 0, "unknown"],
    ["with an expired code of another client", { ...approved, clientId: other }, 600, "unknown"],
    ["for the first time", waiting, 0, "pending"],
    ["that is claimed", claimed, 0, "pending"],
    ["too early", { ...waiting, ...polled }, 104.999, "too early"],
    ["in time", { ...waiting, ...polled }, 105, "pending"],
    ["in the time of a slower one", { ...waiting, ...polled, pollSeconds: 10 }, 109, "too early"],
    ["as a slower one in time", { ...waiting, ...polled, pollSeconds: 10 }, 110, "pending"],
    ["before its last time, by the clock of another instance", { ...waiting, ...polled }, 99, "too early"],
    ["approved, for the first time", approved, 0, "tokens"],
    ["approved, too early", { ...approved, ...polled }, 104, "too early"],
    ["approved, in time", { ...approved, ...polled }, 105, "tokens"],
    ["denied", denied, 0, "denied"],
    ["denied, too early", { ...denied, ...polled }, 101, "denied"],
    ["consumed", consumed, 0, "consumed"],
    ["consumed, too early", { ...consumed, ...polled }, 101, "consumed"],
    ["at the last moment", approved, 599.999, "tokens"],
    ["expired", waiting, 600, "expired"],
    ["approved and expired", approved, 600, "expired"],
    ["denied and expired", denied, 600, "expired"],
    ["consumed and expired", consumed, 600, "expired"],
    ["expired, too early", { ...waiting, lastPolledAt: at(599) }, 600, "expired"]
  ])("%s", (_, device, seconds, outcome) => {
    const decided = decidePoll(device, client, at(seconds))
    expect(Result.isSuccess(decided) ? "tokens" : decided.failure).toBe(outcome)
  })

  it("waits five seconds longer each time that it is too early, up to an hour", () => {
    expect([5, 10, 60, pollSecondsMax - 5, pollSecondsMax - 1, pollSecondsMax].map(slowed)).toEqual([
      10,
      15,
      65,
      pollSecondsMax,
      pollSecondsMax,
      pollSecondsMax
    ])
  })
})

describe("wrong codes", () => {
  const guesses = (count: number, seconds: number) => ({ count, since: at(seconds) })
  it.each([
    ["none", guesses(0, 0), guesses(0, 0), 0, undefined],
    ["nearly too many", guesses(19, 0), guesses(99, 0), 0, undefined],
    ["too many of the account", guesses(20, 0), guesses(20, 0), 10, 900],
    ["too many of the network", guesses(0, 0), guesses(100, 50), 60, 950],
    ["too many of both, until the later end", guesses(20, 0), guesses(100, 50), 60, 950],
    ["too many of both, the other way round", guesses(20, 50), guesses(100, 0), 60, 950],
    ["too many, until the window ends", guesses(20, 0), guesses(0, 0), 899.999, 900],
    ["too many of a window that is over", guesses(20, 0), guesses(100, 0), 900, undefined]
  ])("%s", (_, account, network, now, until) => {
    expect(decideGuessing({ account, network }, at(now))).toEqual(until === undefined ? undefined : at(until))
  })
})
