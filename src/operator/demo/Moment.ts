/** Something that happens in the demonstration, and when. */
import type { Effect } from "effect"
import type { Client } from "../../client/Client.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import type { Person } from "./people.ts"

export interface Moment {
  /** When it happens, in minutes since the beginning of the demonstration. */
  readonly at: number
  readonly act: Effect.Effect<unknown, unknown>
}

/** The people of the demonstration in the order in which they join; each has a client that stays signed in. */
export interface Cast {
  readonly clientOf: (person: Person) => Client
  /** The accounts of those who have joined. */
  readonly ids: Map<Person, AccountId>
  /** Somebody who has joined by a time; the same person for the same time and number. */
  readonly somebody: (at: number, number: number) => Person
}

export const hour = 60
export const day = 24 * hour

/** How long the community has existed when somebody looks at it. Sessions of the first day must last as long. */
export const length = 80 * day

/** When a person joins: most in the first half, one after the other. */
export const joins = (index: number): number => Math.round(index ** 1.3 * 0.4 * day)
