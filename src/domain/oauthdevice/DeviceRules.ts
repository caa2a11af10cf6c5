/** What becomes of a device that waits for a decision. Pure. */
import { DateTime, Duration, Result } from "effect"
import type { Grant } from "../oauthclient/OAuthClientFields.ts"
import type { AccountId, OAuthClientId } from "../shared/Id.ts"

/** How a client says that it has the code of a device (RFC 8628, 3.4). */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code" satisfies Grant

/** What of a device decides on what becomes of it. */
export interface DeviceState {
  readonly clientId: OAuthClientId
  readonly expiresAt: DateTime.Utc
  /** The account that has seen the code first. */
  readonly claimedBy: AccountId | undefined
  readonly isApproved: boolean
  readonly isDenied: boolean
  readonly isConsumed: boolean
  readonly lastPolledAt: DateTime.Utc | undefined
  readonly pollSeconds: number
}

const isExpired = ({ expiresAt }: DeviceState, now: DateTime.Utc) =>
  DateTime.isLessThanOrEqualTo(expiresAt, now)

/** Whether nobody has decided about a device, and somebody still can. */
const isOpen = (device: DeviceState, now: DateTime.Utc) =>
  !(isExpired(device, now) || device.isApproved || device.isDenied || device.isConsumed)

/** What becomes of an account that reads what there is to decide. Who reads first alone decides. */
export type Claim =
  /** The device is the account's from now on. */
  | "claimed"
  /** It is already. */
  | "own"
  | "another's"
  | "unknown"

export const decideClaim = (
  device: DeviceState | undefined,
  account: AccountId,
  now: DateTime.Utc
): Claim => {
  if (device === undefined || !isOpen(device, now)) return "unknown"
  if (device.claimedBy === undefined) return "claimed"
  return device.claimedBy === account ? "own" : "another's"
}

/** Whether an account can decide about a device: once, and only if it has read before what there is to decide. */
export const mayDecide = (
  device: DeviceState | undefined,
  account: AccountId,
  now: DateTime.Utc
): device is DeviceState => device !== undefined && isOpen(device, now) && device.claimedBy === account

/** Whether a code that is refused as unknown may have been guessed: it is not the account's own. */
export const isGuess = (device: Pick<DeviceState, "claimedBy"> | undefined, account: AccountId): boolean =>
  device?.claimedBy !== account

/** Wrong codes of an account or a network in the current window, which began at `since`. */
export interface Guesses {
  readonly count: number
  readonly since: DateTime.Utc
}

/** How many wrong codes there may be in a window: of an account and of a network. The database holds both. */
export const guessesMax = { account: 20, network: 100 }

export const guessWindow = Duration.minutes(15)

/** When codes are taken again; undefined if they are. */
export const decideGuessing = (
  { account, network }: { readonly account: Guesses; readonly network: Guesses },
  now: DateTime.Utc
): DateTime.Utc | undefined => {
  const ends = [
    ...(account.count >= guessesMax.account ? [account.since] : []),
    ...(network.count >= guessesMax.network ? [network.since] : [])
  ].map((since) => DateTime.addDuration(since, guessWindow))
  return ends
    .filter((end) => DateTime.isGreaterThan(end, now))
    .reduce<DateTime.Utc | undefined>(
      (latest, end) => (latest === undefined || DateTime.isGreaterThan(end, latest) ? end : latest),
      undefined
    )
}

/** Why a device that asks gets no tokens. */
export type PollRefusal = "unknown" | "expired" | "denied" | "consumed" | "too early" | "pending"

const isTooEarly = ({ lastPolledAt, pollSeconds }: DeviceState, now: DateTime.Utc) =>
  lastPolledAt !== undefined && DateTime.isLessThan(now, DateTime.add(lastPolledAt, { seconds: pollSeconds }))

/** What a device is told that asks for its tokens (RFC 8628, 3.5). The first time is never too early. */
export const decidePoll = <D extends DeviceState>(
  device: D | undefined,
  client: OAuthClientId,
  now: DateTime.Utc
): Result.Result<D, PollRefusal> => {
  if (device === undefined || device.clientId !== client) return Result.fail("unknown")
  if (isExpired(device, now)) return Result.fail("expired")
  if (device.isDenied) return Result.fail("denied")
  if (device.isConsumed) return Result.fail("consumed")
  if (isTooEarly(device, now)) return Result.fail("too early")
  return device.isApproved ? Result.succeed(device) : Result.fail("pending")
}

/** By how much a device has to wait longer each time that it asks too early, in seconds. */
const slowerBy = 5

/** The longest that a device has to wait, in seconds: as long as a code may be valid. */
export const pollSecondsMax = 3600

/** How long a device that asked too early has to wait from now on, in seconds. */
export const slowed = (pollSeconds: number): number => Math.min(pollSeconds + slowerBy, pollSecondsMax)
