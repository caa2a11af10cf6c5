/** What the service says of its requests in traces, kept for the test to look at. */
import { Context, Effect, Layer, Tracer } from "effect"

/** The attributes of all spans so far, as text. */
export class Spans extends Context.Service<Spans, Array<string>>()("test/Spans") {}

/** Collects the attributes of every span. */
export const layer = Layer.unwrap(
  Effect.sync(() => {
    const attributes: Array<string> = []
    class RecordedSpan extends Tracer.NativeSpan {
      override attribute(key: string, value: unknown): void {
        super.attribute(key, value)
        attributes.push(`${key}: ${String(value)}`)
      }
    }
    const tracer = Tracer.make({ span: (options) => new RecordedSpan(options) })
    return Layer.merge(Layer.succeed(Spans, attributes), Layer.succeed(Tracer.Tracer, tracer))
  })
)
