/** Invitations to sign up, each for any number of accounts until it is deleted. */

import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { withExample } from "../field/Example.ts"
import { resourceFields } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { InvitationId } from "../shared/Id.ts"
import { PageFields, singlePage } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { invitation, newInvitation } from "./InvitationExamples.ts"

/** Invitations that one account may have; the list has so many on a page. */
export const invitationsMax = 1000

export const Invitation = Schema.Struct({
  id: InvitationId,
  ...resourceFields,
  creator: ProfileReference,
  message: Schema.optionalKey(
    Schema.String.annotate({ description: "What the creator says to those invited" })
  )
})
  .annotate({
    identifier: "Invitation",
    description: "Lets people sign up, as many as there are, until it is deleted"
  })
  .pipe(withExample(invitation))
export interface Invitation extends Schema.Schema.Type<typeof Invitation> {}

export const InvitationListResult = Schema.Struct({
  ...PageFields,
  invitations: Schema.Array(Invitation)
})
  .annotate({ identifier: "InvitationListResult", description: "Invitations, newest first" })
  .pipe(withExample({ ...singlePage(1), invitations: [invitation] }))
export interface InvitationListResult extends Schema.Schema.Type<typeof InvitationListResult> {}

export const NewInvitation = Schema.Struct({
  message: Schema.optionalKey(
    Text.lines({ max: 2000, description: "Plain text for those invited. A blank one counts as none." })
  )
})
  .annotate({ identifier: "InvitationInitialProps", description: "An invitation to create" })
  .pipe(withExample(newInvitation))
export interface NewInvitation extends Schema.Schema.Type<typeof NewInvitation> {}

export class InvitationNotFound extends Problem<InvitationNotFound>()("InvitationNotFound", {
  status: 404,
  title: "There is no such invitation",
  explanation: "No invitation has this id; it may have been deleted, and nobody can sign up with it then.",
  metadata: { invitation_id: Schema.String }
}) {}

export class InvitationNotYours extends Problem<InvitationNotYours>()("InvitationNotYours", {
  status: 403,
  title: "Only its creator and administrators may delete this invitation",
  explanation: "Another account created the invitation, and the caller is no administrator."
}) {}

export class TooManyInvitations extends Problem<TooManyInvitations>()("TooManyInvitations", {
  status: 409,
  title: "This account has too many invitations",
  explanation: `An account may have ${invitationsMax.toLocaleString("en")} invitations, each of which is good for any number of people. Delete one to create another.`,
  metadata: { maximum: Schema.Int }
}) {}
