/** What the service logs, kept for the test to look at. */
import { Context, Effect, Layer, Logger } from "effect"

/** One line as it goes out in production. */
export interface Line {
  readonly text: string
  readonly message: unknown
  readonly level: string
  readonly annotations: Readonly<Record<string, unknown>>
}

export class Logs extends Context.Service<Logs, Array<Line>>()("test/Logs") {}

const toLine = (text: string): Line => {
  const { annotations, level, message } = JSON.parse(text)
  return { text, message, level, annotations }
}

/** Collects the lines instead of writing them. */
export const layer = Layer.unwrap(
  Effect.sync(() => {
    const lines: Array<Line> = []
    const collector = Logger.map(Logger.formatJson, (text) => {
      lines.push(toLine(text))
    })
    return Layer.merge(Layer.succeed(Logs, lines), Logger.layer([collector]))
  })
)

/** The access lines so far, oldest first. */
export const accesses = Effect.map(Logs, (lines) => lines.filter(({ message }) => message === "request"))
