/** Logs of plugins as files, a directory for each: `1.log`, `2.log` and so on, of which the last is in use. */
import { appendFile, open, readdir, rm, stat, unlink } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Clock, Duration, Effect, Layer, Option, Semaphore, Stream } from "effect"
import { makeLineCutter } from "../../../domain/plugin/LogLines.ts"
import { logLimits, PluginLogs } from "../../../domain/plugin/PluginLogs.ts"
import { makeDirectory } from "../../../persistence/shared/makeDirectory.ts"
import { Settings } from "../../process/Settings.ts"

/** Where the logs are. They tell what was, and are in no backup. */
export const logsIn = (dataDir: string): string => resolve(dataDir, "plugin-logs")

const readBytes = 64 * 1024

interface Log {
  readonly directory: string
  readonly turn: Semaphore.Semaphore
  readonly waiting: Set<() => void>
  oldest: number
  current: number
  size: number
  lost: number
  removed: boolean
}

interface Position {
  readonly file: number
  readonly offset: number
}

type LineCutter = ReturnType<typeof makeLineCutter>
type Page = readonly [ReadonlyArray<string>, Option.Option<Position>]

const isId = (id: string) => /^[0-9a-v]{20}$/.test(id)

const pathOf = (log: Log, file: number) => join(log.directory, `${file}.log`)

const wake = (log: Log) => {
  for (const look of log.waiting) look()
  log.waiting.clear()
}

const numbersIn = async (directory: string): Promise<ReadonlyArray<number>> => {
  const names = await readdir(directory).catch(() => [])
  return names.flatMap((name) => /^([1-9]\d{0,14})\.log$/.exec(name)?.[1] ?? []).map(Number)
}

const removeFile = (path: string) => unlink(path).catch(() => {})

const begin = async (log: Log) => {
  log.current += 1
  log.size = 0
  const oldest = log.current - logLimits.olderFiles
  for (; log.oldest < oldest; log.oldest++) await removeFile(pathOf(log, log.oldest))
}

const write = async (log: Log, text: string, bytes: number) => {
  if (log.size > 0 && log.size + bytes > logLimits.fileBytes) await begin(log)
  try {
    await makeDirectory(log.directory, 0o700)
    await appendFile(pathOf(log, log.current), text, { mode: 0o600 })
    log.size += bytes
    return true
  } catch {
    log.lost += bytes
    // It may have been written in part.
    log.size = await stat(pathOf(log, log.current)).then(
      ({ size }) => size,
      () => 0
    )
    return false
  }
}

/** Lines in texts that are written at once, each a small part of a file. */
const textsOf = function* (lines: ReadonlyArray<string>) {
  let text = ""
  for (const line of lines) {
    text += `${line}\n`
    if (text.length < readBytes) continue
    yield text
    text = ""
  }
  if (text !== "") yield text
}

const addLines = async (log: Log, lines: ReadonlyArray<string>) => {
  if (log.removed) return
  for (const text of textsOf(lines)) {
    if (log.lost > 0) {
      // What was written in part is a line of its own.
      const note = `${log.size > 0 ? "\n" : ""}[${log.lost} bytes of output could not be kept]\n`
      if (await write(log, note, Buffer.byteLength(note))) log.lost = 0
    }
    await write(log, text, Buffer.byteLength(text))
  }
  wake(log)
}

/** The bytes at a position; undefined, if the file is not there. */
const readAt = async (log: Log, { file, offset }: Position): Promise<Uint8Array | undefined> => {
  const handle = await open(pathOf(log, file), "r").catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const buffer = Buffer.allocUnsafe(readBytes)
    const { bytesRead } = await handle.read(buffer, 0, readBytes, offset)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const isBeyond = (log: Log, { file, offset }: Position) =>
  log.removed || log.current > file || log.size > offset

/** Waits until there is more to read than what is before a position. */
const more = (log: Log, position: Position) =>
  Effect.callback<void>((resume) => {
    const look = () => resume(Effect.void)
    if (isBeyond(log, position)) look()
    else log.waiting.add(look)
    return Effect.sync(() => log.waiting.delete(look))
  })

/** The lines from a position on, and where to read on. */
const readOn = async (log: Log, cutter: LineCutter, position: Position): Promise<Page> => {
  if (log.removed) return [cutter.rest(), Option.none()]
  if (position.file < log.oldest) {
    const note = "[lines were replaced before they were read]"
    return [[...cutter.rest(), note], Option.some({ file: log.oldest, offset: 0 })]
  }
  const isFull = position.file < log.current
  const bytes = await readAt(log, position)
  if (bytes !== undefined && bytes.length > 0) {
    return [cutter.read(bytes), Option.some({ ...position, offset: position.offset + bytes.length })]
  }
  if (isFull) return [cutter.rest(), Option.some({ file: position.file + 1, offset: 0 })]
  // Somebody removed it by hand, unless the next one was begun meanwhile.
  return [[], Option.some(position.file < log.current ? position : { ...position, offset: log.size })]
}

/** All lines, and those to come. A reader holds a place in the files, and nothing of what is written meanwhile. */
const linesOf = (log: Log): Stream.Stream<string> =>
  Stream.suspend(() => {
    // A line that was cut has a note.
    const cutter = makeLineCutter(2 * logLimits.lineBytes)
    return Stream.paginate({ file: log.oldest, offset: 0 }, (position: Position) =>
      Effect.andThen(
        more(log, position),
        Effect.promise(() => readOn(log, cutter, position))
      )
    )
  })

const openLog = async (directory: string): Promise<Log> => {
  const numbers = await numbersIn(directory)
  const current = Math.max(1, ...numbers)
  const log = { directory, current, oldest: Math.min(current, ...numbers), size: 0, lost: 0, removed: false }
  const size = await stat(join(directory, `${current}.log`)).then(
    (found) => found.size,
    () => 0
  )
  return { ...log, size, turn: Semaphore.makeUnsafe(1), waiting: new Set() }
}

const removeOld = async (log: Log, before: number) => {
  for (const file of await numbersIn(log.directory)) {
    const found = await stat(pathOf(log, file)).catch(() => undefined)
    if (found === undefined || found.mtimeMs >= before) continue
    if (file === log.current) await begin(log)
    await removeFile(pathOf(log, file))
  }
  wake(log)
}

/** Logs in the directories below `root`. */
export const make = (root: string): PluginLogs["Service"] => {
  const logs = new Map<string, Promise<Log>>()

  const find = (id: string) =>
    Effect.promise(() => {
      if (!isId(id)) throw new Error("No id of a plugin")
      const known = logs.get(id) ?? openLog(join(root, id))
      logs.set(id, known)
      return known
    })

  const inTurn = (id: string, change: (log: Log) => Promise<void>) =>
    Effect.flatMap(find(id), (log) =>
      log.turn.withPermits(1)(Effect.uninterruptible(Effect.promise(() => change(log))))
    )

  const directories = Effect.promise(() => readdir(root).catch(() => []))

  return PluginLogs.of({
    append: (id, lines) => (lines.length === 0 ? Effect.void : inTurn(id, (log) => addLines(log, lines))),
    rotate: (id) => inTurn(id, async (log) => void (log.size > 0 && (await begin(log)))),
    follow: (id) => Stream.unwrap(Effect.map(find(id), linesOf)),
    remove: (id) =>
      inTurn(id, async (log) => {
        log.removed = true
        logs.delete(id)
        await rm(log.directory, { recursive: true, force: true })
        wake(log)
      }),
    clean: Effect.gen(function* () {
      const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(Duration.days(logLimits.days))
      const ids = (yield* directories).filter(isId)
      yield* Effect.forEach(ids, (id) => inTurn(id, (log) => removeOld(log, before)), { discard: true })
    })
  })
}

export const layer = Layer.effect(
  PluginLogs,
  Effect.map(Settings, ({ dataDir }) => make(logsIn(dataDir)))
)
