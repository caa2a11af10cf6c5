/** The access of operations that only those may call who manage the event in their address. */
import { Context, type Option, Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { type FoundEvent, NotHost } from "../../domain/calendar/CalendarEvent.ts"
import * as Text from "../../domain/field/Text.ts"
import type { CurrentAccount, CurrentActor } from "../../domain/shared/Actor.ts"
import { accountProblems, accounts } from "../contract/AccessPolicies.ts"

/** The event in an address. */
export const EventMark = Text.mark({ description: "The id of the event, its slug, or `<id>-<slug>`" })

export const readEventMark = Schema.decodeUnknownOption(EventMark)

/** The event that the address of the running request names, if there is one that the caller sees. */
export class AddressedEvent extends Context.Service<AddressedEvent, Option.Option<FoundEvent>>()(
  "forum/http/AddressedEvent"
) {}

/** Identifies the caller, checks the access, and provides the event that `:event_mark` names; others than its managers are refused. */
export class HostOperation extends HttpApiMiddleware.Service<
  HostOperation,
  { provides: CurrentActor | CurrentAccount | AddressedEvent }
>()("forum/http/HostOperation", { error: [...accountProblems, NotHost] }) {}

/** Hosts of the event, and holders of MANAGE_EVENTS. */
export const hosts = { ...accounts, middleware: HostOperation }
