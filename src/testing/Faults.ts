/** What goes wrong in a test, until it is taken back. */
import { Effect } from "effect"

export interface Faults {
  /** `"away"`: it refuses and ends all connections. `slow`: each use of a store takes so many milliseconds more. */
  readonly database?: "away" | { readonly slow: number } | undefined
  /** The mail server takes no mail. */
  readonly mails?: "refused" | undefined
  /** The provider of text messages takes none. */
  readonly texts?: "refused" | undefined
  /** Nothing answers requests of the service: `"failing"`, or a pause in milliseconds before each answer. */
  readonly outbound?: "failing" | { readonly slow: number } | undefined
}

/** The faults of a forum at this moment. */
export interface FaultState {
  current: Faults
}

/** A pause in real time. */
export const pause = (millis: number) =>
  Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, millis)))

export const slowness = (
  fault: "away" | "failing" | { readonly slow: number } | undefined
): Effect.Effect<void> => (typeof fault === "object" ? pause(fault.slow) : Effect.void)
