/** What plugins write to their output, kept for a while. */
import { Context, type Effect, type Stream } from "effect"

/** How much of it is kept. */
export const logLimits = {
  /** A longer line is cut. */
  lineBytes: 16 * 1024,
  /** A longer file is followed by the next. */
  fileBytes: 1024 * 1024,
  /** Beside the one in use. */
  olderFiles: 3,
  days: 28
} as const

export class PluginLogs extends Context.Service<
  PluginLogs,
  {
    /**
     * Adds lines, none of which contains a line break, and answers when they are written. What cannot be written is
     * left out, and a line says how much that was.
     */
    readonly append: (id: string, lines: ReadonlyArray<string>) => Effect.Effect<void>
    /** Begins a new file, unless the one in use is empty. */
    readonly rotate: (id: string) => Effect.Effect<void>
    /**
     * All lines that are kept, oldest first, and those to come. A reader who is slower than the files are replaced
     * loses lines, and is told so.
     */
    readonly follow: (id: string) => Stream.Stream<string>
    readonly remove: (id: string) => Effect.Effect<void>
    /** Removes the files that are too old. */
    readonly clean: Effect.Effect<void>
  }
>()("forum/domain/PluginLogs") {}
