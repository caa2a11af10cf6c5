/** Access keys in the tests. */
import { Effect } from "effect"
import { ok } from "./answers.ts"
import { type Person, personByKey } from "./people.ts"

export const permission = "USE_PERSONAL_ACCESS_KEYS"

/** A new key of someone who may use keys: as it is shown this once. */
export const createKey = (person: Person, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(person.post("/auth/access-keys", { name: "Key", ...more }), ok)

/** The same person, calling with a new key. */
export const withKey = (person: Person, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(createKey(person, more), ({ secret }) => personByKey(secret, person.id))
