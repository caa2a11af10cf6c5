/** Runs on a thread of its own: sanitises one text after another. */
import { setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import { maxima } from "../../../domain/text/richtext/Budget.ts"
import { sanitise } from "../../../domain/text/richtext/Sanitise.ts"

// Everybody's requests go first. Only on Linux does a thread have a priority of its own.
if (process.platform === "linux") setPriority(5)

parentPort?.on("message", (input: string) => parentPort?.postMessage(sanitise(input, maxima.steps)))
