/** How the owner of an account proves once more to be its owner, for what cannot be undone or gives everything away. */
import { DateTime, Duration, Schema } from "effect"
import * as Text from "../field/Text.ts"
import { Problem } from "../shared/Problem.ts"

/** How long ago a session may have begun that proves by itself who asks. */
export const recently = Duration.minutes(10)

// As long as any password may be that was ever set.
const passwordMax = 10_000

/** The password of who asks, unless the session is new enough. */
export const ownPassword = Schema.optionalKey(
  Text.verbatim({
    max: passwordMax,
    format: "password",
    description: "The password of your account. Not needed within ten minutes after you signed in"
  })
)

export class SignInNotRecent extends Problem<SignInNotRecent>()("SignInNotRecent", {
  status: 403,
  title: "Send your password, or sign in again first",
  explanation:
    "What cannot be undone, or tells everything of an account, is done for who proves once more to be its owner: by its password where the operation takes one, or by a session that began within the last ten minutes."
}) {}

/** Whether a session that began then proves by itself who asks. */
export const isRecent = (began: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThanOrEqualTo(DateTime.addDuration(began, recently), now)
