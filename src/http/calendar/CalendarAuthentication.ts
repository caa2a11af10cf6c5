import { Effect, Layer, Option } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { Calendar } from "../../domain/calendar/Calendar.ts"
import { Callers } from "../../domain/session/Callers.ts"
import { decideAccountAccess } from "../../domain/shared/Access.ts"
import { Replicas } from "../../domain/storage/Replicas.ts"
import { DeclaredAccountAccess } from "../contract/AccessPolicies.ts"
import { admitting, credentialsOf, forAccount } from "../pipeline/Authentication.ts"
import { AddressedEvent, HostOperation, readEventMark } from "./CalendarAccess.ts"

/** Checks who manages an event before the body is looked at: others learn nothing of what is wrong with it. */
export const layer = Layer.effect(
  HostOperation,
  Effect.gen(function* () {
    const callers = yield* Callers
    const calendar = yield* Calendar

    const identify = (request: HttpServerRequest.HttpServerRequest) =>
      Effect.map(callers.identify(credentialsOf(request)), (actor) => [actor, undefined] as const)

    const replicas = yield* Replicas
    const admit = admitting(DeclaredAccountAccess, decideAccountAccess, identify, forAccount, replicas)

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
