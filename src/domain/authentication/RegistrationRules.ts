/** Who may sign up. Pure. */
import { Result } from "effect"
import type { RegistrationMode } from "../settings/GeneralSetting.ts"
import type { InvitationId } from "../shared/Id.ts"
import { RegistrationClosed } from "./Password.ts"

/** What a request to sign up says of an invitation, and whether there is it. */
export type NamedInvitation =
  | { readonly _tag: "None" }
  | { readonly _tag: "Found"; readonly id: InvitationId }
  | { readonly _tag: "Unknown"; readonly id: string }

/** Why nobody signs up so. */
export const closed = (mode: RegistrationMode, invitation: NamedInvitation) =>
  new RegistrationClosed({
    metadata: {
      registration_mode: mode,
      ...(invitation._tag === "None" ? {} : { invitation_id: invitation.id })
    }
  })

/** Whether an account that is not the first one may be made. */
export const decideRegistration = (
  mode: RegistrationMode,
  invitation: NamedInvitation
): Result.Result<void, RegistrationClosed> => {
  const isOpen =
    mode === "invitation" ? invitation._tag === "Found" : mode === "public" && invitation._tag !== "Unknown"
  return isOpen ? Result.void : Result.fail(closed(mode, invitation))
}
