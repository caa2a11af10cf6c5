/** Changes as the log tells of them. */
import { DateTime } from "effect"
import { changeIdOf, type LoggedChange } from "../../../src/domain/change/ChangeFeed.ts"
import { beginning } from "../../../src/domain/change/ChangePosition.ts"
import { PostId } from "../../../src/domain/shared/Id.ts"

/** A thread that was published. */
export const loggedChange = (number: number): LoggedChange => {
  const id = changeIdOf(0, BigInt(number))
  return {
    id,
    position: beginning,
    at: DateTime.makeUnsafe(0),
    change: { event: "EventThreadPublished", id: PostId.make(id) },
    audience: { _tag: "Everyone" }
  }
}
