/** Makes images of other sizes with the package sharp, which is optional: it is not built for every machine. */
import { type ChildProcess, fork } from "node:child_process"
import { Context, Data, Duration, Effect, Layer, Option, Schema } from "effect"
import { Thumbnailer } from "../../../domain/asset/Thumbnailer.ts"
import type { Answer, Question } from "./Decoding.ts"

/** How images are decoded; a test may do it otherwise. */
export const DecoderSettings = Context.Reference("forum/layers/DecoderSettings", {
  defaultValue: () => ({
    /** The program that a process runs. */
    program: new URL("./process.ts", import.meta.url),
    /** The longest time for an image. Most take a fraction of a second; one that takes so long is made to do so. */
    longest: Duration.seconds(5)
  })
})

// A process loads Node and sharp before it answers.
const startWithin = "20 seconds"

// An idle process holds some tens of megabytes; starting one takes as long as decoding a large image.
const idleMillis = 30_000

/** A process ended, or was ended, before it answered. */
class ProcessEnded extends Data.TaggedError("ProcessEnded") {}

const start = (program: URL): ChildProcess => {
  const child = fork(program, {
    // It needs no setting, and none of the secrets among them.
    env: { PATH: process.env.PATH ?? "" },
    execArgv: ["--disable-warning=ExperimentalWarning", "--max-old-space-size=64"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })
  // A stop of the service does not wait for it; it ends when the service has.
  child.unref()
  child.channel?.unref()
  // What fails to start ends as well.
  child.on("error", () => {})
  return child
}

/** Begins something, and waits for the next message of a process. */
const next = (child: ChildProcess, begin: () => void): Effect.Effect<unknown, ProcessEnded> =>
  Effect.callback<unknown, ProcessEnded>((resume) => {
    const stopListening = () => {
      child.off("message", onMessage).off("exit", onEnd).off("error", onEnd)
    }
    const onMessage = (message: unknown) => {
      stopListening()
      resume(Effect.succeed(message))
    }
    const onEnd = () => {
      stopListening()
      resume(Effect.fail(new ProcessEnded()))
    }
    child.on("message", onMessage).on("exit", onEnd).on("error", onEnd)
    begin()
    return Effect.sync(stopListening)
  })

const isAnswer = Schema.is(
  Schema.Union([
    Schema.Struct({ images: Schema.Array(Schema.Uint8Array) }),
    Schema.Struct({ unreadable: Schema.String })
  ])
)

const ask = (child: ChildProcess, question: Question): Effect.Effect<Answer, ProcessEnded> =>
  Effect.flatMap(
    next(child, () => child.send(question)),
    (message) => (isAnswer(message) ? Effect.succeed(message) : Effect.fail(new ProcessEnded()))
  )

const end = (child: ChildProcess) => Effect.sync(() => child.kill("SIGKILL"))

/** Decodes images in processes: as many as there are questions at a time, which the caller limits. */
const makeDecoder = Effect.gen(function* () {
  const { longest, program } = yield* DecoderSettings
  const idle = new Map<ChildProcess, NodeJS.Timeout>()
  const living = new Set<ChildProcess>()

  yield* Effect.addFinalizer(() => Effect.forEach(living, end, { discard: true }))

  const begin = Effect.gen(function* () {
    const child = start(program)
    living.add(child)
    child.once("exit", () => living.delete(child))
    yield* next(child, () => {}).pipe(
      Effect.timeout(startWithin),
      Effect.tapError(() => end(child))
    )
    return child
  })

  const take = Effect.suspend(() => {
    for (const [child, timer] of idle) {
      clearTimeout(timer)
      idle.delete(child)
      if (child.connected) return Effect.succeed(child)
    }
    return begin
  })

  const keep = (child: ChildProcess) =>
    Effect.sync(() => {
      const timer = setTimeout(() => {
        idle.delete(child)
        child.kill("SIGKILL")
      }, idleMillis)
      idle.set(child, timer.unref())
    })

  /** The images; nothing if the file cannot be read, or not within the time for it. */
  return (question: Question): Effect.Effect<Option.Option<ReadonlyArray<Uint8Array>>> =>
    Effect.acquireUseRelease(
      take,
      (child) => Effect.timeout(ask(child, question), longest),
      // One that has not answered may still decode.
      (child, exit) => (exit._tag === "Success" ? keep(child) : end(child))
    ).pipe(
      Effect.flatMap((answer) =>
        "images" in answer
          ? Effect.succeedSome(answer.images)
          : Effect.as(Effect.logDebug("An image cannot be read", answer.unreadable), Option.none())
      ),
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("A process that decodes images was ended", error), Option.none())
      )
    )
})

const withSharp = Effect.map(makeDecoder, (decode) =>
  Thumbnailer.of({
    isAvailable: true,
    make: (path, width) =>
      Effect.map(
        decode({ path, width }),
        Option.flatMap((images) => Option.fromUndefinedOr(images[0]))
      ),
    render: (path, extents) =>
      decode({ path, extents: extents.map(({ height, width }) => ({ width, height })) })
  })
)

const isInstalled = (name: string): boolean => {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

/** Makes images with the package `name`. Where it is not installed, images are answered as they were uploaded. */
export const layerFor = (name: string) =>
  Layer.effect(
    Thumbnailer,
    isInstalled(name)
      ? withSharp
      : Effect.as(
          Effect.logInfo(
            `The optional package ${name} is not installed: there are no thumbnails, and no images of the instance can be uploaded`
          ),
          Thumbnailer.of({
            isAvailable: false,
            make: () => Effect.succeed(Option.none()),
            render: () => Effect.succeed(Option.none())
          })
        )
  )

export const layer = layerFor("sharp")
