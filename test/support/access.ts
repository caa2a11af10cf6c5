import { Result } from "effect"
import { type Access, decideAccountAccess, decideGuestAccess } from "../../src/domain/shared/Access.ts"
import type { Actor } from "../../src/domain/shared/Actor.ts"

/** Why an actor may not call an operation of this access, or nothing. */
export const refusalOf = (access: Access, actor: Actor) =>
  Result.match(
    access._tag === "Public" || access._tag === "Reader"
      ? decideGuestAccess(access, actor)
      : decideAccountAccess(access, actor),
    { onSuccess: () => undefined, onFailure: (refusal) => refusal }
  )
