/** Ids of traces, as W3C Trace Context has them. */
import { Effect, Option, Tracer } from "effect"

const form = /^(?!0{32})[0-9a-f]{32}$/

/** The id of the running trace. While nothing is traced there are spans all the same, whose id is a word. */
export const findTraceId: Effect.Effect<Option.Option<string>> = Effect.map(
  Effect.serviceOption(Tracer.ParentSpan),
  Option.flatMap(({ traceId }) => (form.test(traceId) ? Option.some(traceId) : Option.none()))
)
