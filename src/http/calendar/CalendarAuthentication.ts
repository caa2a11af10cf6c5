import { Effect, Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import { Calendar } from "../../domain/calendar/Calendar.ts"
import { decideAccountAccess } from "../../domain/shared/Access.ts"
import { DeclaredAccountAccess } from "../contract/AccessPolicies.ts"
import { admitting, forAccount, makeIdentify } from "../pipeline/Authentication.ts"
import { AddressedEvent, HostOperation, readEventMark } from "./CalendarAccess.ts"

/** Checks who manages an event before the body is looked at: others learn nothing of what is wrong with it. */
export const layer = Layer.effect(
  HostOperation,
  Effect.gen(function* () {
    const calendar = yield* Calendar
    const identify = yield* makeIdentify
    const admit = yield* admitting(DeclaredAccountAccess, decideAccountAccess, identify, forAccount)

    const addressed = (text: string | undefined) =>
      Option.match(readEventMark(text), {
        onNone: () => Effect.succeedNone,
        // That there is none is said once the body is read, as for all that an address names.
        onSome: (mark) =>
          Effect.catchTag(Effect.asSome(calendar.getOwn(mark)), "EventNotFound", () => Effect.succeedNone)
      })

    return HostOperation.of((handler, options) =>
      Effect.flatMap(HttpRouter.params, ({ event_mark }) => {
        const hosting = Effect.flatMap(addressed(event_mark), (event) =>
          Effect.provideService(handler, AddressedEvent, event)
        )
        return admit(hosting, options)
      })
    )
  })
)
