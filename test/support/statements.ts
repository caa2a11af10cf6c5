/** Counts what the service says to its database. */
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

/** The statements the service has run, `begin` and `commit` aside, which no span tells of. */
export class Statements extends Context.Service<Statements, Array<string>>()("test/Statements") {}

/** The same service, every statement of which is noted. */
export const counting = <A, E, R>(service: Layer.Layer<A, E, R>): Layer.Layer<A | Statements, E, R> => {
  const statements: Array<string> = []
  const tracer = Tracer.make({ span: (options) => new StatementSpan(statements, options) })
  return Layer.merge(
    Layer.provide(service, Layer.succeed(Tracer.Tracer, tracer)),
    Layer.succeed(Statements, statements)
  )
}

/** The statements that an effect makes the service run. */
export const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const statements = yield* Statements
    statements.length = 0
    const answer = yield* effect
    return { answer, statements: [...statements] }
  })
