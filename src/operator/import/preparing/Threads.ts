/** Threads that prepare lines, at most one for each processor: to read markup is most of the work of an import. */
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import type { Order, Prepared } from "./Preparing.ts"

const program = new URL("./thread.ts", import.meta.url)

// More than eight would wait for the database.
const threadsMax = Math.min(8, availableParallelism())

export const makeThreads = () => {
  const idle: Array<Worker> = []
  const all: Array<Worker> = []
  const waiting: Array<(thread: Worker) => void> = []

  const take = (): Promise<Worker> => {
    const found = idle.pop()
    if (found !== undefined) return Promise.resolve(found)
    // A thread loads for longer than a small import takes: there is another one only where more than one order waits.
    if (all.length === 0 || (waiting.length > 0 && all.length < threadsMax)) {
      const thread = new Worker(program, { env: {}, execArgv: [] })
      thread.unref()
      all.push(thread)
      return Promise.resolve(thread)
    }
    return new Promise((resolve) => {
      waiting.push(resolve)
    })
  }

  const release = (thread: Worker) => {
    const next = waiting.shift()
    if (next === undefined) idle.push(thread)
    else next(thread)
  }

  const ask = (thread: Worker, order: Order) =>
    new Promise<Prepared>((resolve, reject) => {
      const settled = () => {
        thread.off("message", onMessage).off("error", onError).off("exit", onExit)
      }
      const onMessage = (prepared: Prepared) => {
        settled()
        release(thread)
        resolve(prepared)
      }
      const onError = (error: unknown) => {
        settled()
        reject(error)
      }
      const onExit = () => {
        settled()
        reject(new Error("A thread ended before it had prepared its records"))
      }
      thread.on("message", onMessage).on("error", onError).on("exit", onExit)
      thread.postMessage(order)
    })

  return {
    prepare: async (order: Order): Promise<Prepared> => await ask(await take(), order),
    end: async () => {
      await Promise.all(all.map((thread) => thread.terminate()))
    }
  } as const
}

export type Threads = ReturnType<typeof makeThreads>
