/** Runs on a thread of its own: prepares lines, one chunk after another. */
import { parentPort } from "node:worker_threads"
import { type Order, prepare } from "./Preparing.ts"

parentPort?.on("message", (order: Order) => {
  const prepared = prepare(order)
  parentPort?.postMessage(prepared, [prepared.rows.buffer])
})
