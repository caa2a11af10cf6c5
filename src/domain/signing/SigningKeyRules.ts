/** Which key signs and which keys others are told of, at an instant. Pure. */
import { Data, DateTime, Result } from "effect"
import type { ScheduledKey } from "./SigningKey.ts"

/** How long a key is known to all instances and caches before it signs. */
export const noticeMinutes = 60

/** How far the clocks of instances may be apart. */
const skewSeconds = 60

/** There is a key already that has not begun to sign. */
export class RotationUnderWay extends Data.TaggedError("RotationUnderWay") {}

const oldestFirst = <K extends ScheduledKey>(keys: ReadonlyArray<K>): ReadonlyArray<K> =>
  keys.toSorted((one, other) => one.generation - other.generation)

const hasBegun = ({ signsFrom }: ScheduledKey, at: DateTime.Utc) =>
  DateTime.isLessThanOrEqualTo(signsFrom, at)

/**
 * The key that signs: the newest that has begun. Where none has, which happens when the clock of the instance is
 * behind that of the one that made it, the oldest.
 */
export const findSigner = <K extends ScheduledKey>(
  keys: ReadonlyArray<K>,
  at: DateTime.Utc
): K | undefined => {
  const ordered = oldestFirst(keys)
  return ordered.findLast((key) => hasBegun(key, at)) ?? ordered[0]
}

/** When the last token of a key expires, which is signed just before its successor begins. */
const lastTokenExpires = ({ signsFrom }: ScheduledKey, tokenSeconds: number) =>
  DateTime.add(signsFrom, { seconds: tokenSeconds + skewSeconds })

/**
 * The keys that others are told of, oldest first: the one that signs, those that will, and those before it until
 * their last token has expired.
 */
export const publishedKeys = <K extends ScheduledKey>(
  keys: ReadonlyArray<K>,
  at: DateTime.Utc,
  tokenSeconds: number
): ReadonlyArray<K> => {
  const ordered = oldestFirst(keys)
  return ordered.filter((_, place) => {
    const successor = ordered[place + 1]
    return successor === undefined || DateTime.isGreaterThan(lastTokenExpires(successor, tokenSeconds), at)
  })
}

/** When the key that is added now begins to sign; one rotation at a time. */
export const decideRotation = (
  keys: ReadonlyArray<ScheduledKey>,
  at: DateTime.Utc
): Result.Result<DateTime.Utc, RotationUnderWay> => {
  if (keys.some((key) => !hasBegun(key, at))) return Result.fail(new RotationUnderWay())
  return Result.succeed(keys.length === 0 ? at : DateTime.add(at, { minutes: noticeMinutes }))
}
