/** What staff may do with notes on accounts that they may see. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Accounts } from "../account/Accounts.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { type AccountId, ModerationNoteId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { ModerationNoteNotFound } from "./ModerationNote.ts"
import { ModerationNoteStore } from "./ModerationNoteStore.ts"
import { checkNotOwn } from "./Warning.ts"

const make = Effect.gen(function* () {
  const store = yield* ModerationNoteStore
  const accounts = yield* Accounts
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids

  const notFound = (id: string) => new ModerationNoteNotFound({ metadata: { moderation_note_id: id } })

  /** The account that notes are on: never the caller's own. */
  const checkTarget = (account: AccountId) => Effect.andThen(accounts.view(account), checkNotOwn(account))

  const list = Effect.fn("ModerationNotes.list")(function* (account: AccountId) {
    yield* checkTarget(account)
    return { notes: yield* store.list(account) }
  })

  const create = Effect.fn("ModerationNotes.create")(function* (account: AccountId, content: string) {
    const { accountId: authorId } = yield* CurrentAccount
    yield* checkTarget(account)
    const id = ModerationNoteId.make(yield* ids.next)
    const note = { id, at: yield* DateTime.now, accountId: account, authorId, content }
    const writes = Effect.andThen(
      store.insert(note),
      events.append(authorId, { _tag: "ModerationNoteCreated", account_id: account, note_id: id })
    )
    yield* transaction(writes)
    const found = yield* store.find(id)
    return Option.isSome(found) ? found.value : yield* notFound(id)
  })

  const remove = Effect.fn("ModerationNotes.remove")(function* (account: AccountId, id: string) {
    const { accountId } = yield* CurrentAccount
    yield* checkTarget(account)
    const removal = Effect.gen(function* () {
      const deleted = yield* store.delete(account, id)
      if (Option.isNone(deleted)) return yield* notFound(id)
      const note_id = deleted.value
      yield* events.append(accountId, { _tag: "ModerationNoteDeleted", account_id: account, note_id })
    })
    yield* transaction(removal)
  })

  return { list, create, remove } as const
})

export class ModerationNotes extends Context.Service<ModerationNotes, Effect.Success<typeof make>>()(
  "forum/domain/ModerationNotes"
) {
  static readonly layer = Layer.effect(ModerationNotes, make).pipe(Layer.provide(Accounts.layer))
}
