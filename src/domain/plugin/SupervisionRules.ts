/** What follows when the process of a plugin has ended without being asked to. Pure. */
import { Duration } from "effect"

/** How often and how soon processes that crashed are started again. */
export interface RestartPolicy {
  /** How often a process that crashes again and again is started once more. */
  readonly restartsMax: number
  /** The longest time between two of these starts. */
  readonly backoffMax: Duration.Duration
  /** How long a process has run after which a crash has nothing to do with its start. */
  readonly settledAfter: Duration.Duration
  /** How long after such a crash it is started again. */
  readonly settledBackoff: Duration.Duration
}

export const usualPolicy: RestartPolicy = {
  restartsMax: 3,
  backoffMax: Duration.seconds(60),
  settledAfter: Duration.seconds(30),
  settledBackoff: Duration.seconds(5)
}

/** How often a process has been started again since it last ran for some time. */
export type Restarts = number

export type AfterCrash =
  | { readonly _tag: "Restart"; readonly after: Duration.Duration; readonly restarts: Restarts }
  | { readonly _tag: "GiveUp" }

const firstBackoff = Duration.seconds(1)

/** Whether a process that ran this long is started again, and when. */
export const decideAfterCrash = (
  policy: RestartPolicy,
  restarts: Restarts,
  uptime: Duration.Duration
): AfterCrash => {
  if (Duration.isGreaterThanOrEqualTo(uptime, policy.settledAfter)) {
    return { _tag: "Restart", after: policy.settledBackoff, restarts: 0 }
  }
  if (restarts >= policy.restartsMax) return { _tag: "GiveUp" }
  const after = Duration.min(Duration.times(firstBackoff, 2 ** restarts), policy.backoffMax)
  return { _tag: "Restart", after, restarts: restarts + 1 }
}
