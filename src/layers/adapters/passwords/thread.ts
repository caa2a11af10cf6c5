/** Runs on a thread of its own: checks one hash by bcrypt. */
import { setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import { compareSync } from "bcryptjs"
import type { Order } from "./BcryptThread.ts"

// Everybody's requests go first. Only on Linux does a thread have a priority of its own.
if (process.platform === "linux") setPriority(5)

const { hash, password }: Order = workerData
parentPort?.postMessage(compareSync(password, hash))
