/**
 * Checks what authenticators say, on a thread, with the package @simplewebauthn/server. It has hundreds of modules:
 * neither the start nor any request waits for them, and a service without passkeys does not have them in memory.
 */
import { Worker } from "node:worker_threads"
import { Effect, Layer, Schema } from "effect"
import { algorithms, Transport } from "../../../domain/authentication/Passkey.ts"
import { PasskeyVerifier, ResponseRefused } from "../../../domain/authentication/PasskeyVerifier.ts"
import type { Question, Verified } from "./Verification.ts"

/** A question to the thread; its answer has the same number. */
export interface Asked {
  readonly number: number
  readonly question: Question
}

/** The answer of the thread to the question with this number: what was verified, or why it is refused. */
export type Answer =
  | { readonly number: number; readonly verified: Verified }
  | { readonly number: number; readonly why: string }

const program = new URL("./thread.ts", import.meta.url)

const isTransport = Schema.is(Transport)

const ended = Effect.die(new Error("The thread that checks passkeys ended before it answered"))

type Resume = (outcome: Effect.Effect<Verified, ResponseRefused>) => void

/** Asks a thread that starts with the first question. Another one takes the place of one that has ended. */
const makeThread = Effect.gen(function* () {
  const waiting = new Map<number, Resume>()
  let thread: Worker | undefined
  let asked = 0

  const start = (): Worker => {
    // The thread needs no environment, and none of the arguments of the service.
    const started = new Worker(program, { env: {}, execArgv: [] })
    // A stop does not wait for it.
    started.unref()
    started.on("message", (answer: Answer) => {
      const resume = waiting.get(answer.number)
      waiting.delete(answer.number)
      resume?.(
        "verified" in answer
          ? Effect.succeed(answer.verified)
          : Effect.fail(new ResponseRefused({ why: answer.why }))
      )
    })
    // An error is followed by the exit.
    started.on("error", () => {})
    started.once("exit", () => {
      thread = undefined
      for (const resume of waiting.values()) resume(ended)
      waiting.clear()
    })
    return started
  }

  yield* Effect.addFinalizer(() => Effect.promise(async () => thread?.terminate()))

  return (question: Question) =>
    Effect.callback<Verified, ResponseRefused>((resume) => {
      const number = asked++
      waiting.set(number, resume)
      thread ??= start()
      thread.postMessage({ number, question } satisfies Asked)
      return Effect.sync(() => waiting.delete(number))
    })
})

export const layer = Layer.effect(
  PasskeyVerifier,
  Effect.map(makeThread, (verify) =>
    PasskeyVerifier.of({
      verifyCreation: (credential, expected) =>
        Effect.map(verify({ credential, expected, algorithms }), ({ aaguid, id, publicKey, signatures }) => {
          const transports = [...new Set((credential.response.transports ?? []).filter(isTransport))]
          return { id, publicKey, signatures, transports, aaguid }
        }),
      verifyAssertion: (credential, publicKey, expected) =>
        Effect.map(verify({ credential, expected, publicKey }), ({ signatures }) => signatures)
    })
  )
)
