import { Invitations } from "../../../domain/invitation/Invitations.ts"
import * as InvitationsHandlers from "../../../http/invitation/InvitationsHandlers.ts"
import * as InvitationStoreSql from "../../../persistence/invitation/InvitationStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const invitation = {
  ...empty,
  stores: InvitationStoreSql.layer,
  services: Invitations.layer,
  handlers: InvitationsHandlers.layer
} satisfies Area
