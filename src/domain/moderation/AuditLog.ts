/**
 * The record of what moderators and administrators did to content and accounts, and of all deletions. An entry follows
 * from an event: storage writes it with the event, in one transaction.
 */
import { Context, Effect, Layer, Option } from "effect"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { type AuditEventListResult, AuditEventNotFound } from "./AuditEvent.ts"
import { type AuditFilter, AuditStore, pageSize } from "./AuditStore.ts"

const make = Effect.gen(function* () {
  const store = yield* AuditStore

  const get = Effect.fn("AuditLog.get")(function* (id: string) {
    const found = yield* store.find(id)
    return Option.isSome(found)
      ? found.value
      : yield* new AuditEventNotFound({ metadata: { audit_event_id: id } })
  })

  const list = Effect.fn("AuditLog.list")(function* (filter: AuditFilter, place: ListPlace) {
    const { events, ...extent } = yield* store.list(filter, place)
    const envelope = listEnvelope({ ...extent, place, size: pageSize, results: events.length })
    return { ...envelope, events } satisfies AuditEventListResult
  })

  return { get, list } as const
})

/** The audit log, for administrators. */
export class AuditLog extends Context.Service<AuditLog, Effect.Success<typeof make>>()(
  "forum/domain/AuditLog"
) {
  static readonly layer = Layer.effect(AuditLog, make)
}
