/** What the rules of invitations need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, InvitationId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { Invitation, TooManyInvitations } from "./Invitation.ts"

export interface InvitationInsert {
  readonly id: InvitationId
  readonly at: DateTime.Utc
  readonly creatorId: AccountId
  readonly message: string | undefined
}

export interface InvitationPage extends ListExtent {
  readonly invitations: ReadonlyArray<Invitation>
}

export class InvitationStore extends Context.Service<
  InvitationStore,
  {
    readonly insert: (invitation: InvitationInsert) => Effect.Effect<void, TooManyInvitations>
    readonly find: (id: string) => Effect.Effect<Option.Option<Invitation>>
    /** A page of the invitations of an account, or of all accounts, newest first. */
    readonly list: (creator: AccountId | undefined, place: ListPlace) => Effect.Effect<InvitationPage>
    /** Deletes an invitation: who signed up with it has no inviter any more. Answers false if there is none. */
    readonly delete: (id: InvitationId) => Effect.Effect<boolean>
  }
>()("forum/domain/InvitationStore") {}
