/** Counts the statements that the service runs. */
import { Context, Effect, Layer, Tracer } from "effect"

class StatementSpan extends Tracer.NativeSpan {
  readonly #statements: Array<string>

  constructor(statements: Array<string>, options: ConstructorParameters<typeof Tracer.NativeSpan>[0]) {
    super(options)
    this.#statements = statements
  }

  override attribute(key: string, value: unknown): void {
    super.attribute(key, value)
    if (key === "db.query.text") this.#statements.push(String(value))
  }
}

/** The statements that the service has run, except `begin` and `commit`, which have no span. */
export class Statements extends Context.Service<Statements, Array<string>>()("test/Statements") {}

/** The same service, with every statement recorded. */
export const counting = <A, E, R>(service: Layer.Layer<A, E, R>): Layer.Layer<A | Statements, E, R> => {
  const statements: Array<string> = []
  const tracer = Tracer.make({ span: (options) => new StatementSpan(statements, options) })
  return Layer.merge(
    Layer.provide(service, Layer.succeed(Tracer.Tracer, tracer)),
    Layer.succeed(Statements, statements)
  )
}

/** An effect's result, with the statements that it made the service run. */
export const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const statements = yield* Statements
    statements.length = 0
    const answer = yield* effect
    return { answer, statements: [...statements] }
  })
