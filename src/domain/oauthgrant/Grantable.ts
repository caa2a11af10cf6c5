/** Whether anybody can grant anything to clients. */

import { type Actor, holds } from "../shared/Actor.ts"
import { OAuthError } from "../shared/OAuthError.ts"

export const disabled = new OAuthError({
  error: "temporarily_unavailable",
  error_description: "OAuth is not enabled"
})

export const notAllowed = new OAuthError({
  error: "access_denied",
  error_description: "The account may not use clients of OAuth"
})

/** Whether an account may let clients act for it. */
export const mayGrant = (actor: Actor): boolean => holds(actor, "USE_OAUTH_CLIENTS")
