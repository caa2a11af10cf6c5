/** Runs on a thread of its own: checks what authenticators say, one answer after the other. */
import { parentPort } from "node:worker_threads"
import type { Answer, Asked } from "./SimplePasskeyVerifier.ts"
import { verify } from "./Verification.ts"

const answerTo = async ({ number, question }: Asked): Promise<Answer> => {
  try {
    return { number, verified: await verify(question) }
  } catch (error) {
    return { number, why: error instanceof Error ? error.message : String(error) }
  }
}

parentPort?.on("message", async (asked: Asked) => parentPort?.postMessage(await answerTo(asked)))
