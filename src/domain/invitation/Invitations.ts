/** What people may do with invitations. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { type AccountActor, CurrentAccount, holds } from "../shared/Actor.ts"
import { type AccountId, InvitationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { singlePage } from "../shared/Page.ts"
import { Transaction } from "../storage/Transaction.ts"
import {
  type Invitation,
  type InvitationListResult,
  InvitationNotFound,
  InvitationNotYours,
  invitationsMax,
  type NewInvitation
} from "./Invitation.ts"
import { InvitationStore } from "./InvitationStore.ts"

/** Whose invitations the caller gets; nobody's in particular are those of all. Others than administrators get their own. */
const decideScope = (actor: AccountActor, asked: AccountId | undefined): AccountId | undefined =>
  holds(actor, "ADMINISTRATOR") ? asked : actor.accountId

const mayRemove = ({ creator }: Invitation, actor: AccountActor): boolean =>
  creator.id === actor.accountId || holds(actor, "ADMINISTRATOR")

const make = Effect.gen(function* () {
  const store = yield* InvitationStore
  const transaction = yield* Transaction
  const ids = yield* Ids

  const get = Effect.fn("Invitations.get")(function* (id: string) {
    const found = yield* store.find(id)
    return Option.isSome(found)
      ? found.value
      : yield* new InvitationNotFound({ metadata: { invitation_id: id } })
  })

  const create = Effect.fn("Invitations.create")(function* ({ message }: NewInvitation) {
    const { accountId } = yield* CurrentAccount
    const id = InvitationId.make(yield* ids.unguessable)
    const at = yield* DateTime.now
    const said = message?.trim() === "" ? undefined : message
    yield* transaction(store.insert({ id, at, creatorId: accountId, message: said }))
    return yield* get(id)
  })

  const list = Effect.fn("Invitations.list")(function* (asked: AccountId | undefined, place: ListPlace) {
    const actor = yield* CurrentAccount
    const { invitations, ...extent } = yield* store.list(decideScope(actor, asked), place)
    const results = invitations.length
    const envelope =
      place.page === 1 && results === extent.total
        ? singlePage(results)
        : listEnvelope({ ...extent, place, size: invitationsMax, results })
    return { ...envelope, invitations } satisfies InvitationListResult
  })

  const remove = Effect.fn("Invitations.remove")(function* (id: string) {
    const actor = yield* CurrentAccount
    const invitation = yield* get(id)
    if (!mayRemove(invitation, actor)) return yield* new InvitationNotYours()
    if (!(yield* transaction(store.delete(invitation.id)))) {
      return yield* new InvitationNotFound({ metadata: { invitation_id: id } })
    }
  })

  return { create, get, list, remove } as const
})

export class Invitations extends Context.Service<Invitations, Effect.Success<typeof make>>()(
  "forum/domain/Invitations"
) {
  static readonly layer = Layer.effect(Invitations, make)
}
