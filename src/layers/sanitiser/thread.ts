/** Runs on a thread of its own: sanitises one text after another. */
import { parentPort } from "node:worker_threads"
import { maxima } from "../../domain/shared/richtext/Budget.ts"
import { sanitise } from "../../domain/shared/richtext/Sanitise.ts"

parentPort?.on("message", (input: string) => parentPort?.postMessage(sanitise(input, maxima.steps)))
