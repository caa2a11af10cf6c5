/** Runs on a thread of its own: makes one text that describes the API. */
import { setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect } from "effect"
import { makeDescription } from "../../../http/instance/Descriptions.ts"
import type { Order } from "./DescriptionThread.ts"

// Everybody's requests go first. Only on Linux does a thread have a priority of its own.
if (process.platform === "linux") setPriority(5)

const { kind, publicUrl, version }: Order = workerData
const made = makeDescription(kind, { publicUrl: new URL(publicUrl), version })
parentPort?.postMessage(await Effect.runPromise(Effect.provide(made, NodeCrypto.layerDigest)))
