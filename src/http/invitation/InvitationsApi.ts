import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import {
  Invitation,
  InvitationListResult,
  InvitationNotFound,
  InvitationNotYours,
  NewInvitation,
  TooManyInvitations
} from "../../domain/invitation/Invitation.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { accounts, everyone, membersWith } from "../contract/AccessPolicies.ts"
import { Done } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const params = { invitation_id: Text.mark({ description: "The id of the invitation" }) }

export class InvitationsApi extends HttpApiGroup.make("invitations")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        account_id: Schema.optionalKey(AccountId).annotateKey({
          description: "The id of the account whose invitations to list; counts for administrators only"
        }),
        ...pagedQuery
      },
      success: InvitationListResult,
      error: CursorMismatch
    }).pipe(
      operation({
        id: "InvitationList",
        cost: "quick",
        summary: "List invitations",
        description:
          "The caller's own. Administrators get those of the account in `account_id`, or all. One page has up to a thousand.",
        access: accounts
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewInvitation,
      success: Invitation,
      error: [TooManyInvitations, InvitationNotFound]
    }).pipe(
      operation({
        id: "InvitationCreate",
        cost: "write",
        summary: "Create an invitation",
        description: "Anyone who has its id can sign up with it, until it is deleted.",
        access: membersWith("CREATE_INVITATION")
      })
    ),
    HttpApiEndpoint.get("get", "/:invitation_id", {
      params,
      success: Invitation,
      error: InvitationNotFound
    }).pipe(
      operation({
        id: "InvitationGet",
        cost: "quick",
        summary: "Read an invitation",
        description: "For those who are about to sign up with it.",
        access: everyone
      })
    ),
    HttpApiEndpoint.delete("delete", "/:invitation_id", {
      params,
      success: Done,
      error: [InvitationNotFound, InvitationNotYours]
    }).pipe(
      operation({
        id: "InvitationDelete",
        cost: "write",
        summary: "Delete an invitation",
        description: "Nobody can sign up with it any more. Accounts that did are invited by nobody then.",
        access: accounts
      })
    )
  )
  .prefix("/invitations")
  .annotateMerge(OpenApi.annotations({ title: "invitations", description: "Invitations to sign up" })) {}
